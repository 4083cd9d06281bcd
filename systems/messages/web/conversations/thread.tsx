import { Button, Center, Group, Text } from '@mantine/core'
import { type RefObject, useEffect, useRef } from 'react'
import {
  AnchorLink,
  ErrorState,
  Loading,
  useListOf,
  useNow,
  useRefresh,
} from '@posthorn/dashboard/kit'
import { ProviderNote } from '../entries.tsx'
import { formatMoment, kindName, parametersOf, stepsOf, type ThreadItem } from './conversation.ts'
import classes from './conversations.module.css'

/** Reading a message changes no state, so the stream does not announce it. */
const READ_EVERY_MS = 3_000
const READ_WITHIN_MS = 15 * 60_000

/** What was written in both directions, newest last. */
export function Thread({ id }: { id: string }) {
  const list = useListOf('/api/v1/conversations/{id}/messages', ['conversations', 'thread', id], {
    ...{ path: { id }, query: { limit: 50 } },
  })
  const items = list.rows.toSorted(byTime)
  const last = items.at(-1)?.id
  const { wall } = useNow()
  const awaitsRead = items.some(
    ({ status, readAt, at }) =>
      (status === 'SENT' || status === 'DELIVERED') &&
      readAt === null &&
      wall - Date.parse(at) < READ_WITHIN_MS,
  )
  useRefresh(['conversations', 'thread', id], awaitsRead ? READ_EVERY_MS : undefined)
  const frame = useRef<HTMLElement>(null)
  useScrolledDown(frame, last)
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.reload} />
  if (list.isLoading) return <Loading />
  return (
    <section
      className={classes['thread']}
      ref={frame}
      aria-label="Messages"
      aria-live="polite"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard
      tabIndex={0}
    >
      {list.hasMore && (
        <Center mb="sm">
          <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
            Show older messages
          </Button>
        </Center>
      )}
      <ol>
        {items.map((item) => (
          <Bubble key={item.id} item={item} />
        ))}
      </ol>
    </section>
  )
}

/** Scrolls to the end when a new last message arrives. */
function useScrolledDown(frame: RefObject<HTMLElement | null>, last: string | undefined): void {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (shown.current === last) return
    shown.current = last
    frame.current?.scrollTo({ top: frame.current.scrollHeight })
  }, [frame, last])
}

function byTime(one: ThreadItem, other: ThreadItem): number {
  return Date.parse(one.at) - Date.parse(other.at) || (one.id < other.id ? -1 : 1)
}

function Bubble({ item }: { item: ThreadItem }) {
  const isFailed = item.status === 'FAILED'
  return (
    <li
      className={classes['bubble']}
      data-direction={item.direction}
      data-failed={isFailed ? true : undefined}
    >
      <Words item={item} />
      {isFailed && item.errorCode !== null && (
        <ProviderNote code={item.errorCode} message={item.errorMessage} />
      )}
      <Foot item={item} />
    </li>
  )
}

/** The text of a message, or its kind if it has no text. */
function Words({ item }: { item: ThreadItem }) {
  const { kind, text, templateCode, content, contentsRemovedAt } = item
  const name = kindName(kind)
  const parameters = parametersOf(content)
  return (
    <>
      {templateCode !== null && (
        <Text size="sm">
          Template <strong>{templateCode}</strong>
          {parameters.length > 0 && `: ${parameters.join(', ')}`}
        </Text>
      )}
      {name !== undefined && (
        <Text size="xs" c="dimmed">
          {name}
        </Text>
      )}
      {text !== null && (
        <div style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{text}</div>
      )}
      {contentsRemovedAt !== null && (
        <Text size="xs" c="dimmed">
          The text is no longer kept.
        </Text>
      )}
    </>
  )
}

const STANDINGS: Readonly<Record<string, string>> = {
  QUEUED: 'Waiting',
  SENDING: 'Sending',
  SENT: 'Sent',
  DELIVERED: 'Delivered',
  FAILED: 'Not sent',
  CANCELLED: 'Cancelled',
}

function Foot({ item }: { item: ThreadItem }) {
  const { wall } = useNow()
  const { direction, at, status, id } = item
  if (direction === 'inbound') {
    return (
      <Group gap="2px 10px" align="stretch" mt={4} c="dimmed" fz="xs">
        <time dateTime={at}>{formatMoment(at, wall)}</time>
        {item.answersMessageId !== null && <span>answers a message of yours</span>}
      </Group>
    )
  }
  const steps = stepsOf(item)
  const isTold = steps.length > 0 && status !== 'FAILED'
  return (
    <Group gap="2px 10px" align="stretch" mt={4} c="dimmed" fz="xs">
      {!isTold && (
        <span>
          {STANDINGS[status ?? ''] ?? status}, <time dateTime={at}>{formatMoment(at, wall)}</time>
        </span>
      )}
      {steps.map((step) => (
        <span key={step.word}>
          {step.word} <time dateTime={step.at}>{formatMoment(step.at, wall)}</time>
        </span>
      ))}
      <AnchorLink size="xs" to="/outbound" search={{ open: id }}>
        Details
      </AnchorLink>
    </Group>
  )
}
