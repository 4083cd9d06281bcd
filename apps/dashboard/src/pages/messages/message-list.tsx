import { hashKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type Answer, dataOf, type ItemOf, useApi } from '../../api/client.tsx'
import type { paths } from '../../api/schema.d.ts'
import type { LiveEvent } from '../../live/live-event.ts'
import { refreshQueueOf, useFollow, useFresh } from '../../live/use-fresh.ts'
import { useSort } from '../../parts/table/layout.ts'
import { type List, useList } from '../../parts/table/list.ts'
import { roleOf, type StateRole } from '../../states/role.ts'
import { Text } from '@mantine/core'
import { CodeNote, useTextBeside } from '../../codes/code-note.tsx'
import { Time, withShortIds } from '../../parts/show/facts.tsx'
import { StateBadge } from '../../parts/show/states.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { firstOf, useContents } from '../../systems.tsx'

type MessageQuery = NonNullable<paths['/api/v1/messages']['get']['parameters']['query']>
type MessageFilter = Omit<MessageQuery, 'cursor' | 'limit' | 'sort'>

const PAGE_SIZE = 100

/** The columns that the server sorts by: an index has the messages in the order of their creation. */
const SORTS = { age: 'createdAt' } as const

function useReadMessages(filter: MessageFilter, sort: MessageQuery['sort']) {
  const api = useApi()
  return (cursor: string | undefined, signal: AbortSignal) => {
    const order = { ...(sort && { sort }), ...(cursor !== undefined && { cursor }) }
    const query = { ...filter, ...order, limit: PAGE_SIZE }
    return dataOf(api.GET('/api/v1/messages', { params: { query }, signal }))
  }
}

/** Messages that match now: one that no longer does leaves the list. */
export function useMatchingMessages(name: string, filter: MessageFilter): List<MessageRow> {
  useFresh(['messages'], (event) => concerns(filter, event))
  const sort = useSort(name, SORTS)
  const read = useReadMessages(filter, sort)
  const list = useList<MessageRow>({ queryKey: ['messages', 'list', filter, sort], read })
  return { ...list, sorts: SORTS }
}

function concerns({ outbox }: MessageFilter, event: LiveEvent): boolean {
  return event.kind !== 'announcement' && (outbox === undefined || event.outbox === outbox)
}

/**
 * Messages of one outbox, or of all together, newest first unless their table is sorted. Rows on
 * screen keep their places: when something happens, the newest page is read as well. It brings these
 * rows up to date and says how many are new.
 */
export function useMessages(name: string, filter: MessageFilter): List<MessageRow> {
  const client = useQueryClient()
  const sort = useSort(name, SORTS)
  const read = useReadMessages(filter, sort)
  const readNewest = useReadMessages(filter, undefined)
  const queryKey = ['message-list', filter, sort]
  const newestKey = ['messages', 'newest', filter]
  const list = useList<MessageRow>({ queryKey, read, isLive: false })
  const newest = useQuery({
    queryKey: newestKey,
    queryFn: ({ signal }) => readNewest(undefined, signal),
    enabled: !list.isLoading,
  })
  const [moved, setMoved] = useState(NONE)
  useFollow(({ events, lookAgain }) => {
    const mine = events.filter((event) => concerns(filter, event))
    if (lookAgain || mine.length > 0) refreshQueueOf(client).add(hashKey(['messages']))
    const shown = new Set(list.rows.map(addressOf))
    const moves = mine.flatMap((event) => {
      if (event.kind !== 'transition') return []
      const address = addressOf({ outbox: event.outbox, id: event.messageId })
      return shown.has(address) ? [[address, event.to] as const] : []
    })
    if (moves.length > 0) setMoved((before) => new Map([...before, ...moves]))
  })
  const { rows, newCount } = useMemo(() => {
    const present = list.rows.map((row) => {
      const state = moved.get(addressOf(row))
      return state === undefined || state === row.state ? row : { ...row, state }
    })
    return followRows(present, newest.data?.items ?? [], addressOf)
  }, [list.rows, newest.data, moved])
  const reload = () => {
    setMoved(NONE)
    void client.resetQueries({ queryKey: newestKey, exact: true })
    list.reload()
  }
  const isEmpty = list.rows.length === 0 && newCount > 0
  return {
    ...list,
    rows: isEmpty ? (newest.data?.items ?? []) : rows,
    sorts: SORTS,
    // With the oldest first, what is new is at the end that has not been read.
    newRows:
      newCount === 0 || isEmpty || sort === 'createdAt'
        ? undefined
        : `${newCount}${newCount >= PAGE_SIZE ? '+' : ''} new`,
    reload,
  }
}

/** States that messages went into since their list was read. */
const NONE: ReadonlyMap<string, string> = new Map()

/** Rows in their places, brought up to date by the newest page; its other rows are only counted. */
export function followRows<Row extends { readonly createdAt: string | null }>(
  shown: readonly Row[],
  newest: readonly Row[],
  idOf: (row: Row) => string,
): { rows: readonly Row[]; newCount: number } {
  const known = new Map(newest.map((row) => [idOf(row), row]))
  const rows = shown.map((row) => known.get(idOf(row)) ?? row)
  const ids = new Set(shown.map(idOf))
  const first = shown[0]?.createdAt ?? ''
  const newCount = newest.filter(
    (row) => !ids.has(idOf(row)) && (row.createdAt ?? '') >= first,
  ).length
  return { rows, newCount }
}

type Listed = ItemOf<'/api/v1/outboxes/{name}/messages'>

/** A message of a list, with the outbox that it is in. */
export interface MessageRow extends Listed {
  readonly outbox: string
}

export type MessageDetails = Answer<'/api/v1/outboxes/{name}/messages/{id}'>

/** Which message: as an address has it, `<outbox>:<id>`. */
export interface MessageKey {
  readonly outbox: string
  readonly id: string
}

export function addressOf({ outbox, id }: MessageKey): string {
  return `${outbox}:${id}`
}

/** Undefined for what is no such address. An outbox has no colon in its name; an id may. */
export function keyIn(address: string | undefined): MessageKey | undefined {
  const colon = address?.indexOf(':') ?? -1
  if (address === undefined || colon < 1 || colon === address.length - 1) return undefined
  return { outbox: address.slice(0, colon), id: address.slice(colon + 1) }
}

export type ListedOutbox = ItemOf<'/api/v1/outboxes'>

/** All outboxes with the words that each has for its states. */
export function useOutboxes() {
  const api = useApi()
  return useQuery({
    queryKey: ['outboxes', 'list'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/outboxes', { signal })),
    select: ({ items }) => items,
  })
}

/** What a state of an outbox means; undefined as long as the outbox is not known. */
export function roleIn(
  outboxes: readonly ListedOutbox[] | undefined,
  { outbox, state }: { readonly outbox: string; readonly state: string },
): StateRole | undefined {
  const found = outboxes?.find(({ name }) => name === outbox)
  return found && roleOf(state, found.roles)
}

/** What an action on a message changes. */
export const CHANGED = ['messages', 'dead-letters', 'outboxes', 'overview']

/** Whether a message in such a state is still to be sent. */
export function isWaiting(role: StateRole | undefined): boolean {
  return role === 'ready' || role === 'retry' || role === 'failing'
}

/** The columns of messages; an outbox's own words are coloured by the roles they play. */
export function columnsOf(
  outboxes: readonly ListedOutbox[] | undefined,
): readonly Column<MessageRow>[] {
  return [
    {
      id: 'state',
      title: 'State',
      sortBy: ({ state }) => state,
      width: '128px',
      cell: (row) => <StateBadge state={row.state} role={roleIn(outboxes, row)} />,
    },
    column.text('outbox', 'Outbox', { width: 'minmax(100px, 1.4fr)' }),
    {
      id: 'label',
      title: 'About',
      width: 'minmax(120px, 1.6fr)',
      sortBy: ({ label }) => label,
      cell: ({ label }) => <Short text={label} />,
    },
    column.copy('id', 'Id', { order: 'none', shown: 8, width: '104px', narrow: 'hidden' }),
    column.text('type', 'Type', { none: '–', width: 'minmax(88px, 1.4fr)' }),
    column.text('attempts', 'Attempts', { width: '80px', align: 'right', narrow: 'hidden' }),
    {
      id: 'due',
      title: 'Next due',
      sortBy: ({ dueAt }) => dueAt,
      width: '104px',
      narrow: 'hidden',
      cell: (row) => <NextDue row={row} role={roleIn(outboxes, row)} />,
    },
    // Behind the other columns that may be left out: where there is no room for all, it goes first.
    {
      id: 'key',
      title: 'Key',
      sortBy: ({ key }) => key,
      width: 'minmax(110px, 1fr)',
      narrow: 'hidden',
      cell: ({ key }) => <Short text={key} />,
    },
    {
      id: 'error',
      title: 'Error',
      sortBy: ({ errorCode, error }) => errorCode ?? error,
      width: 'minmax(100px, 1.4fr)',
      cell: ({ errorCode, error }) => errorCode ?? error ?? '',
    },
    column.time('createdAt', 'Created', { id: 'age', width: '104px' }),
  ]
}

/** A finished message is not due, even if its row still says so. */
function NextDue({ row, role }: { row: MessageRow; role: StateRole | undefined }) {
  if (row.held) return <span title="Waits for an earlier message of its key">waits</span>
  if (!isWaiting(role)) return <span>–</span>
  return <Time at={row.dueAt} clock="business" ahead />
}

function Short({ text }: { text: string | null }) {
  return text === null ? '–' : <span title={text}>{withShortIds(text)}</span>
}

interface FailureNoteProps {
  readonly outbox: string
  readonly code: string | null
  readonly error: string | null
}

/** Why a message failed and what to do. A system explains the codes of its destinations. */
export function FailureNote({ outbox, code, error }: FailureNoteProps) {
  const { webs } = useContents()
  const explain = firstOf(webs, ({ outboxes }) => outboxes?.[outbox]?.explain)
  const meaning = code === null ? undefined : explain?.(code)
  const more = useTextBeside(code, error)
  return (
    <div>
      {code !== null && <CodeNote code={code} meaning={meaning} />}
      {more !== null && (
        <Text size="sm" c="dimmed" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
          {meaning !== undefined && 'Error text: '}
          {more}
        </Text>
      )}
    </div>
  )
}
