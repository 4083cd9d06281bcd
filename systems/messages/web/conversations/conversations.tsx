import { Button, Text } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { Link, useParams } from '@tanstack/react-router'
import {
  ButtonLink,
  dataOf,
  Empty,
  ErrorState,
  formatRelative,
  Loading,
  PageFrame,
  StateBadge,
  useApi,
  useFresh,
  useList,
  useNow,
} from '@posthorn/dashboard/kit'
import { Room } from './room.tsx'
import { type ConversationResource, kindName, personOf } from './conversation.ts'
import classes from './conversations.module.css'

/** What people write back, and the answers: the list, and the one that is open. */
export function Conversations() {
  const { id } = useParams({ strict: false }) as { id?: string }
  useFresh(
    ['conversations'],
    (event) =>
      (event.kind === 'announcement' && event.topic === 'messages.conversation') ||
      (event.kind === 'transition' && event.outbox === 'messages.outbound'),
  )
  return (
    <PageFrame
      title="Conversations"
      lead="What people write back. Free text may be sent within 24 hours of a person’s last message; after that only templates."
      actions={
        <ButtonLink variant="default" to="/outbound">
          Sent messages
        </ButtonLink>
      }
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

/** Everyone who has written, the last active first. */
function People({ open }: { open: string | undefined }) {
  const api = useApi()
  const list = useList<ConversationResource>({
    queryKey: ['conversations', 'list'],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/conversations', {
          params: { query: { ...(cursor !== undefined && { cursor }) } },
          signal,
        }),
      ),
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
      <span className={classes['first']}>
        <span className={classes['name']}>{personOf(conversation)}</span>
        <time className={classes['when']} dateTime={lastInboundAt}>
          {formatRelative(Date.parse(lastInboundAt), wall)}
        </time>
      </span>
      <span className={classes['last']}>{lastText ?? kindName(lastKind ?? '') ?? '–'}</span>
      {withdrawn === null && !awaitsAnswer ? null : (
        <StateBadge {...(withdrawn === null ? AWAITING : WITHDRAWN)} />
      )}
      {conversation.contactName !== null && (
        <Text size="xs" c="dimmed" component="span" ml="xs">
          {conversation.recipient}
        </Text>
      )}
    </Link>
  )
}
