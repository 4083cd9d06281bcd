import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconArrowLeft, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import {
  AnchorLink,
  ButtonLink,
  ConfirmButton,
  Failure,
  Form,
  Panel,
  post,
  put,
  QueryState,
  sentenceOf,
  StateBadge,
  Timeline,
  useAction,
  useNow,
  useRead,
  useRequestKey,
} from '@posthorn/dashboard/kit'
import {
  type ConversationResource,
  formatMoment,
  personOf,
  sessionSentence,
} from './conversation.ts'
import { Thread } from './thread.tsx'
import { consentEntryOf } from '../entries.tsx'

/** One conversation: what was written, whether it can be answered, and a box to do it. */
export function Room({ id }: { id: string }) {
  const query = useRead('/api/v1/conversations/{id}', ['conversations', 'one', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {(conversation) => (
        <Stack gap="md">
          <Panel
            title={personOf(conversation)}
            actions={
              <ButtonLink
                hiddenFrom="md"
                variant="default"
                leftSection={<IconArrowLeft size={14} aria-hidden />}
                to="/conversations"
              >
                All conversations
              </ButtonLink>
            }
          >
            <Stack gap="sm">
              <Facts conversation={conversation} />
              <Thread id={id} />
              <AnswerBox conversation={conversation} />
            </Stack>
          </Panel>
          <ConsentPanel conversation={conversation} />
        </Stack>
      )}
    </QueryState>
  )
}

function Facts({ conversation }: { conversation: ConversationResource }) {
  const { business } = useNow()
  const { recipient, dossierId, sessionOpen } = conversation
  const sentence = sessionSentence(conversation, business)
  const isOpen = sessionOpen && sentence.startsWith('Open')
  return (
    <Group gap="sm">
      <StateBadge state={sentence} role={isOpen ? 'confirmed' : 'cancelled'} />
      <Text size="sm">{recipient}</Text>
      {dossierId !== null && (
        <AnchorLink size="sm" to="/outbound/dossiers/$id" params={{ id: dossierId }}>
          Dossier {dossierId}
        </AnchorLink>
      )}
    </Group>
  )
}

/** Sends free text while the session is open; pressing twice sends it once. */
function AnswerBox({ conversation }: { conversation: ConversationResource }) {
  const key = useRequestKey()
  const { business, wall } = useNow()
  const [text, setText] = useState('')
  const { id, sessionOpen, sessionUntil, withdrawn } = conversation
  const send = useAction({
    run: (body: { text: string }) =>
      post('/api/v1/conversations/{id}/messages', {
        path: { id },
        body,
        headers: { 'idempotency-key': key.keyFor(body) },
      }),
    done: ({ to }) => `Answer to ${to} queued.`,
    changes: ['conversations', 'outbound'],
  })
  const submit = () => {
    const onSuccess = () => {
      key.done()
      setText('')
    }
    send.mutate({ text }, { onSuccess })
  }
  if (withdrawn !== null) {
    return (
      <Alert color="gray" role="note" title="This person wants no more messages">
        {withdrawn.source === 'keyword' ? 'The person wrote so' : 'Withdrawn'} (
        {formatMoment(withdrawn.at, wall)}). Every message to this number is refused, until a new
        consent is noted below.
      </Alert>
    )
  }
  if (!sessionOpen || Date.parse(sessionUntil) <= business) {
    return (
      <Alert color="gray" role="note" title="Free text cannot be sent now">
        More than 24 hours have passed since the person’s last message. Send a{' '}
        <AnchorLink to="/outbound" size="sm">
          template
        </AnchorLink>{' '}
        instead; when the person answers, the conversation is open again.
      </Alert>
    )
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="xs">
        <Textarea
          label="Answer"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          maxLength={4_096}
          autosize
          minRows={2}
          maxRows={8}
          required
        />
        {send.isError && <Failure>{sentenceOf(send.error)}</Failure>}
        <Group justify="flex-end">
          <Button
            type="submit"
            leftSection={<IconSend size={14} aria-hidden />}
            loading={send.isPending}
            disabled={text.trim() === ''}
          >
            Send answer
          </Button>
        </Group>
      </Stack>
    </Form>
  )
}

/** Whether the person may be written to, who said so, and how to change it. */
export function ConsentPanel({ conversation }: { conversation: ConversationResource }) {
  const { id, withdrawn } = conversation
  return (
    <Panel title="Consent">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <StateBadge
            state={withdrawn === null ? 'may be written to' : 'wants no more messages'}
            role={withdrawn === null ? 'confirmed' : 'cancelled'}
          />
          <ConsentButton conversation={conversation} />
        </Group>
        <History id={id} />
      </Stack>
    </Panel>
  )
}

function ConsentButton({ conversation }: { conversation: ConversationResource }) {
  const { id, recipient, withdrawn } = conversation
  const change = useAction({
    run: (body: { granted: boolean; proof?: string }) =>
      put('/api/v1/conversations/{id}/consent', { path: { id }, body }),
    done: ({ withdrawn: now }) =>
      now === null ? `${recipient} may be written to.` : `${recipient} gets no more messages.`,
    changes: ['conversations', 'outbound'],
  })
  const run = (granted: boolean) => (proof: string | undefined) =>
    change.mutateAsync({ granted, ...(proof !== undefined && { proof }) })
  if (withdrawn === null) {
    return (
      <ConfirmButton
        key="withdraw"
        label="Stop messages"
        title={`No more messages to ${recipient}?`}
        tone="danger"
        reason="optional"
        onConfirm={run(false)}
      >
        Messages that wait are cancelled, and new ones are refused.
      </ConfirmButton>
    )
  }
  return (
    <ConfirmButton
      key="grant"
      label="Note a new consent"
      title={`May ${recipient} be written to again?`}
      verb="Note consent"
      reason="required"
      onConfirm={run(true)}
    >
      Only with the person’s consent. Say below where it can be seen.
    </ConfirmButton>
  )
}

function History({ id }: { id: string }) {
  const query = useRead('/api/v1/conversations/{id}/consents', ['conversations', 'consents', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            The person has said nothing about it in this conversation.
          </Text>
        ) : (
          <Timeline entries={items.map(consentEntryOf)} />
        )
      }
    </QueryState>
  )
}
