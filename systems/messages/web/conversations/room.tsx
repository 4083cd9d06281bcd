import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconArrowLeft, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import {
  AnchorLink,
  ButtonLink,
  dataOf,
  Failure,
  Form,
  Panel,
  QueryState,
  sentenceOf,
  StateBadge,
  useAction,
  useApi,
  useNow,
  useRead,
  useRequestKey,
} from '@posthorn/dashboard/kit'
import { ConsentPanel } from './consent-panel.tsx'
import {
  type ConversationResource,
  formatMoment,
  personOf,
  sessionSentence,
} from './conversation.ts'
import { Thread } from './thread.tsx'

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
  const api = useApi()
  const key = useRequestKey()
  const { business, wall } = useNow()
  const [text, setText] = useState('')
  const { id, sessionOpen, sessionUntil, withdrawn } = conversation
  const send = useAction({
    run: (body: { text: string }) =>
      dataOf(
        api.POST('/api/v1/conversations/{id}/messages', {
          params: { path: { id } },
          body,
          headers: { 'idempotency-key': key.keyFor(body) },
        }),
      ),
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
