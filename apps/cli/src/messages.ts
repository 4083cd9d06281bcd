import type { Outbox, Queryable } from '@posthorn/engine'
import {
  listMessages,
  type MessageListOptions,
  type MessageSummary,
} from '@posthorn/engine/operate'
import type { MessagesOptions } from './commands/messages.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import { nearest } from './nearest.ts'
import { startProgress } from './progress.ts'
import { outboxNamed, withSession } from './session.ts'
import { cut, renderTable, type Cell, type Column } from './table.ts'
import type { Terminal } from './terminal.ts'
import { hasCode } from './explain-error.ts'
import { duration, oneLine } from './words.ts'

/** What one command fetches at most: more is a matter for SQL. */
const MOST = 10_000
const PAGE = 500

/** Lists messages, newest first. */
export async function showMessages(
  terminal: Terminal,
  name: string,
  options: MessagesOptions,
): Promise<ExitCode> {
  if (options.limit > MOST) throw new UsageError(`--limit is at most ${MOST}`)
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, name)
    const filter = filterOf(outbox, options)
    const { items, nextCursor } = await read(terminal, { db: session.pool, outbox, filter })
    if (options.json) {
      terminal.printJson({ items: items.map(withNulls), nextCursor: nextCursor ?? null })
      return EXIT.ok
    }
    if (items.length > 0) terminal.print(lines(outbox, items, terminal).join('\n'))
    else terminal.say(`no such messages in ${outbox.name}`)
    if (nextCursor !== undefined) terminal.say(`there are more: --cursor ${nextCursor}`)
    return EXIT.ok
  })
}

interface Reading {
  /** As patient as it takes: a search may read a whole table. */
  readonly db: Queryable
  readonly outbox: Outbox
  readonly filter: MessageListOptions & { readonly limit: number }
}

/** Page after page, up to the limit. */
async function read(terminal: Terminal, { db, outbox, filter }: Reading) {
  using _ = startProgress(terminal, `reading ${outbox.name}`)
  const items: MessageSummary[] = []
  let cursor = filter.cursor
  try {
    do {
      const limit = Math.min(PAGE, filter.limit - items.length)
      const from = cursor === undefined ? {} : { cursor }
      const page = await listMessages(db, outbox, { ...filter, ...from, limit })
      items.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== undefined && items.length < filter.limit)
  } catch (error) {
    // A filter that the table has no column for, or a cursor of another list.
    if (!hasCode(error, 'DEFINITION_INVALID', 'CURSOR_INVALID')) throw error
    throw new UsageError((error as Error).message, { cause: error })
  }
  return { items, nextCursor: cursor }
}

function filterOf(outbox: Outbox, options: MessagesOptions): Reading['filter'] {
  const { search, tenant, key, type, limit, cursor } = options
  const state = stateOf(outbox, options)
  return {
    limit,
    ...(state !== undefined && { state }),
    ...(search !== undefined && { search }),
    ...(tenant !== undefined && { tenant }),
    ...(key !== undefined && { key }),
    ...(type !== undefined && { type }),
    ...(cursor !== undefined && { cursor }),
  }
}

/** A word that the table does not have would only find nothing: it is refused. */
function stateOf({ name, states }: Outbox, options: MessagesOptions): string | undefined {
  if (options.dead) {
    if (states.dead !== undefined) return String(states.dead)
    throw new UsageError(`${name} never gives up a message: it has no dead letters`)
  }
  const { state } = options
  const words = [...new Set(Object.values(states).filter((word) => word !== undefined))].map(String)
  if (state === undefined || words.includes(state)) return state
  const meant = nearest(state, words)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new UsageError(`${name} has no state "${state}".${hint} It has: ${words.join(', ')}`)
}

function lines(outbox: Outbox, items: readonly MessageSummary[], terminal: Terminal): string[] {
  const { paint, stdout } = terminal
  const width = stdout.isTTY ? stdout.columns : undefined
  const fields = fieldsOf(outbox)
  // On a screen the error has a line of its own; for other programs a message is one line.
  if (width === undefined) fields.push([{ title: 'ERROR' }, errorOf])
  const [head = '', ...rows] = renderTable(
    fields.map(([column]) => column),
    items.map((message) => fields.map(([, cell]) => cell(message))),
    { paint, width },
  )
  if (width === undefined) return [head, ...rows]
  const errors = items.map((message) => errorOf(message))
  return [
    head,
    ...rows.flatMap((row, i) => {
      const error = errors[i]
      return error === undefined ? [row] : [row, `  ${paint('red', cut(error, width - 2))}`]
    }),
  ]
}

/** Only what the table keeps. */
function fieldsOf({ columns, order, states, label }: Outbox): Field[] {
  const now = Date.now()
  const fields: Field[] = [
    [{ title: 'ID' }, ({ id }) => oneLine(id)],
    [{ title: 'STATE' }, stateCell(states)],
  ]
  if (label.length > 0) {
    fields.push([{ title: 'LABEL' }, ({ label: text }) => text && oneLine(cut(text, 40))])
  }
  if (columns.createdAt) {
    const age = (time: Date | undefined) => time && duration((now - time.getTime()) / 1_000)
    fields.push([{ title: 'AGE', align: 'right' }, ({ createdAt }) => age(createdAt)])
  }
  fields.push([{ title: 'TRIES', align: 'right' }, ({ attempts }) => String(attempts)])
  if (columns.tenant) fields.push([{ title: 'TENANT' }, ({ tenant }) => tenant && oneLine(tenant)])
  if (columns.type) fields.push([{ title: 'TYPE' }, ({ type }) => type && oneLine(type)])
  if (order) fields.push([{ title: 'KEY' }, ({ key }) => key && oneLine(key)])
  return fields
}

type Field = [Column, (message: MessageSummary) => Cell]

function stateCell(states: Outbox['states']): (message: MessageSummary) => Cell {
  return ({ state, quarantinedAt, held }) => {
    const isDead = state === String(states.dead) || quarantinedAt !== undefined
    const text = `${state}${quarantinedAt ? ', quarantined' : held ? ', held' : ''}`
    return { text: oneLine(text), style: isDead ? 'red' : 'none' }
  }
}

function errorOf({ error, errorCode }: MessageSummary): string | undefined {
  const parts = [errorCode, error].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : oneLine(parts.join(': '))
}

/** What a table does not keep is null in JSON, so that every item has all its fields. */
export function withNulls(summary: MessageSummary): Record<string, unknown> {
  return Object.fromEntries(Object.entries(summary).map(([name, value]) => [name, value ?? null]))
}
