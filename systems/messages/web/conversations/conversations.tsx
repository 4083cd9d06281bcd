import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconArrowLeft, IconMessages, IconSend } from '@tabler/icons-react'
import { Link, useParams } from '@tanstack/react-router'
import {
  ActButton,
  AnchorLink,
  ButtonLink,
  Empty,
  ErrorState,
  Failure,
  Form,
  formatRelative,
  Loading,
  moved,
  PageFrame,
  Panel,
  post,
  put,
  QueryState,
  said,
  sentenceOf,
  StateBadge,
  Timeline,
  useAction,
  useFresh,
  useListOf,
  useNow,
  useRead,
  useRequestKey,
} from '@posthorn/dashboard/kit'
import {
  type ConversationResource,
  formatMoment,
  isSessionOpen,
  kindName,
  personOf,
  sessionSentence,
} from './conversation.ts'
import classes from './conversations.module.css'
import { useState } from 'react'
import { Thread } from './thread.tsx'
import { consentEntryOf } from '../entries.tsx'

export function Conversations() {
  const { id } = useParams({ strict: false }) as { id?: string }
  useFresh(['conversations'], said('messages.conversation'))
  useFresh(['conversations'], moved('messages.outbound'))
  return (
    <PageFrame
      title="Conversations"
      lead="Replies, and your answers. Free text may be sent within 24 hours of a person’s last message; after that only templates."
    >
      <div className={classes['panes']} data-open={id === undefined ? undefined : true}>
        <People open={id} />
        <div className={classes['room']}>
          {id === undefined ? (
            <Empty icon={IconMessages} title="Choose a conversation" />
          ) : (
            <Room key={id} id={id} />
          )}
        </div>
      </div>
    </PageFrame>
  )
}

/** Everyone who has written, the most recent first. */
function People({ open }: { open: string | undefined }) {
  const list = useListOf('/api/v1/conversations', ['conversations', 'list'], {
    query: { limit: 50 },
  })
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.reload} />
  if (list.isLoading) return <Loading />
  return (
    <nav aria-label="Conversations">
      {list.rows.length === 0 ? (
        <Empty title="No conversations yet">A conversation begins when a person writes.</Empty>
      ) : (
        <ul className={classes['people']}>
          {list.rows.map((row) => (
            <li key={row.id}>
              <Person conversation={row} isOpen={row.id === open} />
            </li>
          ))}
        </ul>
      )}
      {list.hasMore && (
        <Button variant="default" mt="xs" loading={list.isLoadingMore} onClick={list.loadMore}>
          Show more
        </Button>
      )}
    </nav>
  )
}

const AWAITING = { state: 'waiting for an answer', role: 'ready' } as const
const WITHDRAWN = { state: 'no more messages', role: 'cancelled' } as const

function Person({ conversation, isOpen }: { conversation: ConversationResource; isOpen: boolean }) {
  const { wall } = useNow()
  const { id, lastText, lastKind, lastInboundAt, awaitsAnswer, withdrawn } = conversation
  return (
    <Link
      className={classes['person'] ?? ''}
      to="/conversations/$id"
      params={{ id }}
      {...(isOpen && { 'aria-current': 'page' })}
    >
      <Group component="span" justify="space-between" align="stretch" gap={8} wrap="nowrap">
        <Text span inherit truncate fw={600}>
          {personOf(conversation)}
        </Text>
        <Text component="time" inherit c="dimmed" fz="xs" flex="none" dateTime={lastInboundAt}>
          {formatRelative(Date.parse(lastInboundAt), wall)}
        </Text>
      </Group>
      <Text span inherit truncate c="dimmed" fz="sm" display="block">
        {lastText ?? kindName(lastKind ?? '') ?? '–'}
      </Text>
      {withdrawn !== null && <StateBadge {...WITHDRAWN} />}
      {withdrawn === null && awaitsAnswer && <StateBadge {...AWAITING} />}
      {conversation.contactName !== null && (
        <Text size="xs" c="dimmed" component="span" ml="xs">
          {conversation.recipient}
        </Text>
      )}
    </Link>
  )
}

function Room({ id }: { id: string }) {
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
  const { recipient, dossierId } = conversation
  return (
    <Group gap="sm">
      <StateBadge
        state={sessionSentence(conversation, business)}
        role={isSessionOpen(conversation, business) ? 'confirmed' : 'cancelled'}
      />
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
  const { id, withdrawn } = conversation
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
  if (!isSessionOpen(conversation, business)) {
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

function ConsentPanel({ conversation }: { conversation: ConversationResource }) {
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
  const change = (granted: boolean) => ({
    run: (proof: string | undefined) =>
      put('/api/v1/conversations/{id}/consent', {
        path: { id },
        body: { granted, ...(proof !== undefined && { proof }) },
      }),
    done: () => `${recipient} ${granted ? 'may be written to' : 'gets no more messages'}.`,
    changes: ['conversations', 'outbound'],
  })
  if (withdrawn === null) {
    return (
      <ActButton
        key="withdraw"
        label="Stop messages"
        title={`No more messages to ${recipient}?`}
        tone="danger"
        reason="optional"
        {...change(false)}
      >
        Waiting messages are cancelled, and new ones are refused.
      </ActButton>
    )
  }
  return (
    <ActButton
      key="grant"
      label="Note a new consent"
      title={`May ${recipient} be written to again?`}
      verb="Note consent"
      reason="required"
      {...change(true)}
    >
      Only with the person’s consent. Say below where it can be seen.
    </ActButton>
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
            No consent is recorded in this conversation.
          </Text>
        ) : (
          <Timeline entries={items.map(consentEntryOf)} />
        )
      }
    </QueryState>
  )
}
