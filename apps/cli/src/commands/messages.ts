import type { Outbox, Queryable } from '@posthorn/engine'
import { listMessages, type MessageSummary } from '@posthorn/operate'
import { type MessageListOptions } from '@posthorn/operate/internal'
import { Option } from 'commander'
import {
  examples,
  given,
  onDatabase,
  parseCount,
  withJson,
  type DatabaseOptions,
  type Define,
} from '../options.ts'
import { EXIT, UsageError, type ExitCode } from '../errors.ts'
import { startProgress } from '../terminal/interact.ts'
import { outboxNamed, throwAsUsage, withSession } from '../session.ts'
import { cut, renderTable, tableStyle, type Cell } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { duration, oneLine, suggest } from '../terminal/words.ts'

interface MessagesOptions extends DatabaseOptions {
  readonly state?: string
  readonly dead?: true
  readonly search?: string
  readonly tenant?: string
  readonly key?: string
  readonly type?: string
  readonly limit: number
  readonly cursor?: string
}

export const defineMessages: Define = (command, { terminal, end }) => {
  command
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
    .option('--state <state>', 'only this state, as the table names it')
    .addOption(new Option('--dead', 'only dead letters').conflicts('state'))
    .option('--search <text>', 'only rows that contain this text; slow on large tables')
    .option('--tenant <tenant>', 'only this tenant')
    .option('--key <key>', 'only this key')
    .option('--type <type>', 'only this type')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--cursor <cursor>', 'continue where a list ended')
  onDatabase(withJson(command)).action(async (outbox: string, options: MessagesOptions) =>
    end(await showMessages(terminal, outbox, options)),
  )
  examples(command, [
    'messages shop.outbox --dead',
    'messages shop.outbox --search T-481 --limit 100',
    "messages shop.outbox --json | jq -r '.items[].id'",
  ])
}

/** The most that one command fetches: more is a matter for SQL. */
const MOST = 10_000
const PAGE = 500

async function showMessages(
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
      terminal.printJson({ items, nextCursor })
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
    throwAsUsage(error, 'DEFINITION_INVALID', 'CURSOR_INVALID')
  }
  return { items, nextCursor: cursor }
}

function filterOf(outbox: Outbox, options: MessagesOptions): Reading['filter'] {
  const { search, tenant, key, type, limit, cursor } = options
  const state = stateOf(outbox, options)
  return { limit, ...given({ state, search, tenant, key, type, cursor }) }
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
  const hint = suggest(state, words)
  throw new UsageError(`${name} has no state "${state}".${hint} It has: ${words.join(', ')}`)
}

function lines(outbox: Outbox, items: readonly MessageSummary[], terminal: Terminal): string[] {
  const { paint, width } = tableStyle(terminal)
  const fields = fieldsOf(outbox)
  // On a screen the error has a line of its own; for other programs a message is one line.
  if (width === undefined) fields.push(['ERROR', errorOf])
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
    ['ID', ({ id }) => oneLine(id)],
    ['STATE', stateCell(states)],
  ]
  if (label.length > 0) {
    fields.push(['LABEL', ({ label: text }) => text && oneLine(cut(text, 40))])
  }
  if (columns.createdAt) {
    const age = (time: Date | undefined) => time && duration((now - time.getTime()) / 1_000)
    fields.push(['>AGE', ({ createdAt }) => age(createdAt)])
  }
  fields.push(['>TRIES', ({ attempts }) => String(attempts)])
  if (columns.tenant) fields.push(['TENANT', ({ tenant }) => tenant && oneLine(tenant)])
  if (columns.type) fields.push(['TYPE', ({ type }) => type && oneLine(type)])
  if (order) fields.push(['KEY', ({ key }) => key && oneLine(key)])
  return fields
}

type Field = [column: string, cell: (message: MessageSummary) => Cell]

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
