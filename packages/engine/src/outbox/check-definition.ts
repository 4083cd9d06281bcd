import type { EngineColumn, OutboxDefinition, State } from './definition.ts'
import { toMs, type Duration } from '../duration.ts'
import { DefinitionError } from '../errors.ts'
import { isName, isTable, NAME_RULE } from '../database/sql-names.ts'
import { checkFields } from './definition-shape.ts'
import { nextAfter, type Recurring } from './recurring.ts'

/** Names the engine's own columns have in every outbox table. */
const ENGINE_COLUMNS: readonly string[] = [
  'claim_token',
  'claimed_until',
  'lost_claims',
  'quarantined_at',
  'seq',
  'bucket',
  'held',
] satisfies EngineColumn[]

/** And those of a log. */
const LOG_COLUMNS = ['xid', 'logged_at']

/** Throws a `DefinitionError` for the first thing that is wrong. */
export function checkDefinition<Row>(definition: OutboxDefinition<Row>): void {
  const { name = 'defineOutbox()' } = (definition as typeof definition | undefined) ?? {}
  const wrong = (field: string, problem: string): never => {
    throw new DefinitionError(name, field, problem)
  }
  checkFields((definition as typeof definition | undefined) ?? ({} as typeof definition), wrong)
  if (!/^[a-z][a-z0-9]*([.-][a-z0-9]+)*$/.test(definition.name)) {
    wrong('name', 'must be lower-case words joined by "." or "-", like "shop.order-events"')
  }
  if (!isTable(definition.table)) {
    wrong(
      'table',
      `must be the table's name with its schema, like "shop.outbox" or "public.OutboxEvent": ${NAME_RULE}`,
    )
  }
  checkStates(definition, wrong)
  checkColumns(definition, wrong)
  checkNumbers(definition, wrong)
  checkOrder(definition, wrong)
  checkFair(definition, wrong)
  checkPriority(definition, wrong)
  checkLabel(definition, wrong)
  checkEncrypt(definition, wrong)
  checkLog(definition, wrong)
  checkLimit(definition, wrong)
  checkRecurring(definition, wrong)
}

type Wrong = (field: string, problem: string) => never

function notAColumn(name: string): string {
  return `"${name}" is not a column name: ${NAME_RULE}`
}

function checkStates<Row>(definition: OutboxDefinition<Row>, wrong: Wrong) {
  const { states, counter, retry, confirm } = definition
  const given = Object.entries(states).filter(([, state]) => state !== undefined)
  for (const [role, state] of given as [string, State][]) {
    if (typeof state === 'number' ? !Number.isSafeInteger(state) : !/^[\w-]{1,63}$/.test(state)) {
      wrong(`states.${role}`, 'must be a whole number or a word of letters, digits, "_" and "-"')
    }
  }
  if (new Set(given.map(([, state]) => typeof state)).size > 1) {
    wrong('states', 'must be all words or all numbers, since they are in one column')
  }
  const waiting: unknown[] = [states.ready, states.retry ?? states.ready]
  for (const role of ['claimed', 'sent', 'confirmed', 'dead', 'cancelled'] as const) {
    if (states[role] !== undefined && waiting.includes(states[role])) {
      wrong(
        `states.${role}`,
        'must differ from ready and retry, or the message would be claimed again',
      )
    }
  }
  if (states.claimed !== undefined && states.claimed === states.sent) {
    wrong('states.claimed', 'must differ from sent')
  }
  if (states.confirmed !== undefined && states.confirmed === states.sent) {
    wrong('states.confirmed', 'must differ from sent')
  }
  if (retry.attempts !== undefined && states.dead === undefined) {
    wrong('states.dead', 'is needed, since the retry policy can give up')
  }
  if (retry.attempts === undefined && states.dead !== undefined) {
    wrong('states.dead', 'must be left out, since the retry policy never gives up')
  }
  if (retry.attempts === undefined && definition.unknown?.then === 'hold') {
    wrong('unknown.then', '"hold" needs a dead state to hold the message in')
  }
  if (retry.attempts === undefined && counter.limit !== undefined) {
    wrong('counter.limit', 'must be left out, since the retry policy never gives up')
  }
  if (confirm && states.confirmed === undefined) {
    wrong('states.confirmed', 'is needed by confirm')
  }
  if (!confirm && states.confirmed !== undefined) {
    wrong('confirm', 'is needed, since there is a confirmed state')
  }
  if (counter.bumps === 'on-retry-claim' && (states.retry ?? states.ready) === states.ready) {
    wrong('states.retry', 'must differ from ready, since only the claim of a retry is counted')
  }
}

function checkColumns<Row>(definition: OutboxDefinition<Row>, wrong: Wrong) {
  const { columns, counter, order, fair, reads, confirm, retention, states } = definition
  const engineNames =
    definition.storage === 'log' ? [...ENGINE_COLUMNS, ...LOG_COLUMNS] : ENGINE_COLUMNS
  const { ref, dedupe, idType, ...single } = columns
  if (idType !== undefined && !['uuid', 'bigint', 'text'].includes(idType)) {
    wrong('columns.idType', 'must be "uuid", "bigint" or "text"')
  }
  const named: [string, string | undefined][] = [
    ...Object.entries(single).map(
      ([field, name]) => [`columns.${field}`, name] as [string, string],
    ),
    ...Object.entries(ref ?? {}).map(
      ([field, name]) => [`columns.ref.${field}`, name] as [string, string],
    ),
    ...(dedupe ?? []).map((name) => ['columns.dedupe', name] as [string, string]),
    ['counter.column', counter.column],
    ['counter.limit', counter.limit],
    ['order.key', order?.key],
    ['fair.by', fair?.by],
    ...(reads ?? []).map((name) => ['reads', name] as [string, string]),
  ]
  for (const [field, name] of named) {
    if (name === undefined) continue
    if (!isName(name)) wrong(field, notAColumn(name))
    if (engineNames.includes(name)) wrong(field, `"${name}" is one of the engine's own columns`)
  }
  if (confirm?.within !== undefined && columns.sentAt === undefined) {
    wrong('columns.sentAt', 'is needed by confirm.within')
  }
  if (order && columns.attemptId !== undefined) {
    wrong('columns.attemptId', 'must be left out: an ordered outbox writes nothing when it claims')
  }
  if (reads && states.claimed !== undefined) {
    wrong('reads', 'must be left out with a claimed state: whole rows are read')
  }
  if (retention && columns.finishedAt === undefined) {
    wrong('columns.finishedAt', 'is needed by retention')
  }
}

function checkNumbers<Row>(
  { claim, retry, breaker, retention, confirm, fair }: OutboxDefinition<Row>,
  wrong: Wrong,
) {
  const whole = (field: string, value: number | undefined, max: number) => {
    if (value === undefined) return
    if (!Number.isInteger(value) || value < 1 || value > max) {
      wrong(field, `must be a whole number from 1 to ${max}`)
    }
  }
  const duration = (field: string, value: Duration | undefined, minMs: number) => {
    if (value === undefined) return
    try {
      if (toMs(value) >= minMs) return
    } catch {
      wrong(field, `"${value}" is not a duration like "30s" or "6h"`)
    }
    wrong(field, `must be at least ${minMs} ms`)
  }
  whole('claim.batch', claim?.batch, 10_000)
  whole('claim.atOnce', claim?.atOnce, 100_000)
  whole('fair.atOnce', fair?.atOnce, 1_000_000)
  duration('claim.every', claim?.every, 10)
  duration('claim.unheard', claim?.unheard, 10)
  // Below half a second a garbage collection or a slow commit would be taken for a crash.
  duration('claim.lease', claim?.lease, 500)
  duration('claim.attempt', claim?.attempt, 100)
  whole('retry.attempts', retry.attempts, 1_000_000)
  if (retry.delaysMs.length === 0) wrong('retry', 'needs at least one delay')
  if (!retry.delaysMs.every((ms) => Number.isFinite(ms) && ms >= 0)) {
    wrong('retry', 'every delay must be a duration of zero or more')
  }
  if (!(retry.jitter >= 0 && retry.jitter <= 1)) wrong('retry.jitter', 'must be from 0 to 1')
  whole('breaker.attempts', breaker?.attempts, 1_000_000)
  if (breaker?.failures !== undefined && !(breaker.failures > 0 && breaker.failures <= 1)) {
    wrong('breaker.failures', 'must be above 0 and at most 1')
  }
  duration('breaker.window', breaker?.window, 100)
  duration('breaker.probe', breaker?.probe, 10)
  duration('retention.after', retention?.after, 0)
  duration('retention.archive', retention?.archive, 0)
  duration('confirm.within', confirm?.within, 1)
}

function checkOrder<Row>({ order, counter, states }: OutboxDefinition<Row>, wrong: Wrong) {
  if (!order) return
  if (!['block', 'skip', 'park'].includes(order.dead)) {
    wrong('order.dead', 'must be "block", "skip" or "park"')
  }
  if (order.dead === 'park' && states.dead === undefined) {
    wrong('order.dead', '"park" needs a dead state to park in')
  }
  if (counter.bumps !== 'on-failure') {
    wrong('counter.bumps', 'must be "on-failure": an ordered outbox writes nothing when it claims')
  }
}

function checkFair<Row>({ fair, order, confirm }: OutboxDefinition<Row>, wrong: Wrong) {
  if (!fair) return
  if (fair.atOnce !== undefined && !confirm) {
    wrong('fair.atOnce', 'needs confirm: without it the claim cannot know what is in flight')
  }
  if (order) wrong('fair', 'must be left out: an ordered outbox claims by key')
  if (fair.first !== undefined && !/^[\w./-]{1,63}$/.test(fair.first)) {
    wrong('fair.first', 'must be up to 63 letters, digits, ".", "_", "-" and "/"')
  }
}

const MOST_LABEL_PARTS = 5

/** What stands in a label is shown in lists: it must be a place in the row, and no secret. */
function checkLabel<Row>({ label, secrets = [] }: OutboxDefinition<Row>, wrong: Wrong) {
  if (label === undefined) return
  if (!Array.isArray(label) || label.length === 0 || label.length > MOST_LABEL_PARTS) {
    wrong('label', `must be a list of 1 to ${MOST_LABEL_PARTS} columns, like ["payload.order"]`)
  }
  for (const part of label as readonly string[]) {
    const [column = '', ...properties] = part.split('.')
    if (!isName(column)) wrong('label', notAColumn(column))
    if (!properties.every((name) => /^[\w-]{1,63}$/.test(name))) {
      wrong('label', `"${part}" must be a column, or a column and properties of letters and digits`)
    }
    if ([column, ...properties].some((name) => secrets.includes(name))) {
      wrong('label', `"${part}" is secret and cannot be shown`)
    }
  }
}

/** Two rules for what goes first cannot both hold. */
function checkPriority<Row>({ columns, order, fair }: OutboxDefinition<Row>, wrong: Wrong) {
  if (columns.priority === undefined) return
  // A log has an order, too.
  if (order) {
    wrong(
      'columns.priority',
      'must be left out with order: messages of a key are delivered in the sequence of writing',
    )
  }
  if (fair) {
    wrong('columns.priority', 'must be left out with fair: use fair.first')
  }
}

/** What the engine itself reads or compares must stand in the table as it is. */
function checkEncrypt<Row>(definition: OutboxDefinition<Row>, wrong: Wrong) {
  const { encrypt, columns, counter, order, fair, label = [] } = definition
  if (!encrypt) return
  const { ref = {}, dedupe = [], idType: _, ...single } = columns
  const read: unknown[] = [
    ...['id', 'status', counter.column, counter.limit, order?.key, fair?.by],
    ...[...Object.values(single), ...Object.values(ref), ...dedupe],
    ...label.map((part) => part.split('.')[0]),
  ]
  if (encrypt.columns.length === 0) wrong('encrypt.columns', 'must name at least one column')
  for (const column of encrypt.columns) {
    if (!isName(column)) wrong('encrypt.columns', notAColumn(column))
    if (ENGINE_COLUMNS.includes(column) || read.includes(column)) {
      wrong('encrypt.columns', `"${column}" is read by the engine and cannot be encrypted`)
    }
  }
  if (!['accept', 'refuse', undefined].includes(encrypt.plain)) {
    wrong('encrypt.plain', 'must be "accept" or "refuse"')
  }
}

/** Longest table name that leaves room for `_log_until_20260316` and `_exceptions_quarantined`. */
const MAX_LOGGED_TABLE = 40

/** What a log cannot keep: nothing is written about a message that goes straight through it. */
function checkLog<Row>(definition: OutboxDefinition<Row>, wrong: Wrong) {
  const { storage, order, confirm, columns, audit, table } = definition
  if (storage === undefined || storage === 'table') return
  if (storage !== 'log') wrong('storage', 'must be "table" or "log"')
  if (!order) wrong('order', 'is needed by storage "log": a log is read by key')
  if (confirm) wrong('confirm', 'must be left out: a log keeps no state of a sent message')
  if (definition.states.claimed !== undefined) {
    wrong('states.claimed', 'must be left out: a log records nothing of what it sends')
  }
  if (columns.ref) wrong('columns.ref', 'must be left out: a log keeps no state of a sent message')
  if (columns.dedupe) {
    wrong('columns.dedupe', 'must be left out: a log has no unique index over all its partitions')
  }
  if (audit?.record === 'all') {
    wrong('audit.record', 'must be "failures" or "none": a log writes nothing about what it sends')
  }
  for (const hook of ['claimed', 'settled'] as const) {
    if (audit?.[hook]) wrong(`audit.${hook}`, 'must be left out: a log settles runs, not messages')
  }
  const bare = table.split('.')[1] ?? ''
  if (Buffer.byteLength(bare) > MAX_LOGGED_TABLE) {
    wrong('table', `must have at most ${MAX_LOGGED_TABLE} bytes without its schema`)
  }
}

/** What a limit can count, and where it can. */
function checkLimit<Row>(definition: OutboxDefinition<Row>, wrong: Wrong): void {
  const { limit } = definition
  if (!limit) return
  if (limit.atOnce === undefined && limit.rate === undefined) wrong('limit', 'needs atOnce or rate')
  for (const field of ['atOnce', 'rate'] as const) {
    const value = limit[field]
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 1_000_000)) {
      wrong(`limit.${field}`, 'must be a whole number from 1 to 1000000')
    }
  }
  checkPer(limit, wrong)
  if (definition.storage === 'log') {
    wrong('limit', 'must be left out: a log is claimed by runs of a bucket, not by messages')
  }
  if (limit.by !== undefined) checkBy(definition, limit.by, wrong)
}

function checkPer({ rate, per }: { rate?: number; per?: string }, wrong: Wrong): void {
  if (per === undefined) return
  if (rate === undefined) wrong('limit.per', 'needs limit.rate')
  let ms = 0
  try {
    ms = toMs(per as never)
  } catch {
    wrong('limit.per', `"${per}" is not a duration like "30s" or "6h"`)
  }
  if (ms < 10 || ms > 86_400_000) wrong('limit.per', 'must be from 10ms to 1d')
}

/** What has no room goes back as it was: the claim must have changed nothing but its lease. */
function checkBy<Row>(
  { fair, states, counter, columns }: OutboxDefinition<Row>,
  by: string,
  wrong: Wrong,
): void {
  if (fair?.by !== by) {
    wrong('limit.by', `needs fair: { by: '${by}' }, so that a claim skips values without room`)
  }
  if (states.claimed !== undefined) {
    wrong('limit.by', 'must be left out with a claimed state')
  }
  if (counter.bumps !== 'on-failure' || columns.attemptId !== undefined) {
    wrong('limit.by', 'needs counter.bumps "on-failure" and no columns.attemptId')
  }
}

const FIELDS = ['cron', 'timeZone', 'every', 'missed', 'message']

/** Rules that say when, of messages that recur. */
function checkRecurring<Row>({ recurring }: OutboxDefinition<Row>, wrong: Wrong): void {
  for (const [name, each] of Object.entries(recurring ?? {})) {
    const field = `recurring.${name}`
    if (!/^[\w.-]{1,63}$/.test(name)) {
      wrong(field, 'must be called by up to 63 letters, digits, ".", "_" and "-"')
    }
    const strange = Object.keys(each).find((key) => !FIELDS.includes(key))
    if (strange !== undefined) {
      wrong(`${field}.${strange}`, `is not a field; the fields here are: ${FIELDS.join(', ')}`)
    }
    if (typeof each.message !== 'function') {
      wrong(`${field}.message`, 'must be a function that returns the row to enqueue')
    }
    if (!['latest', 'all', 'skip', undefined].includes(each.missed)) {
      wrong(`${field}.missed`, 'must be "latest", "all" or "skip"')
    }
    checkRule(field, each, wrong)
  }
}

function checkRule<Row>(field: string, rule: Recurring<Row>, wrong: Wrong): void {
  if ((rule.cron === undefined) === (rule.every === undefined)) {
    wrong(field, 'needs either cron or every')
  }
  if (rule.cron === undefined) {
    if (rule.timeZone !== undefined) {
      wrong(`${field}.timeZone`, 'must be left out with every')
    }
    let ms = 0
    try {
      ms = toMs(rule.every)
    } catch {
      wrong(`${field}.every`, `"${rule.every}" is not a duration like "30s" or "6h"`)
    }
    if (ms < 1_000) wrong(`${field}.every`, 'must be at least 1s')
    return
  }
  checkZone(field, rule.timeZone ?? 'UTC', wrong)
  let next: Date | undefined
  try {
    next = nextAfter(rule, new Date())
  } catch (error) {
    wrong(`${field}.cron`, `"${rule.cron}" is not a valid pattern: ${(error as Error).message}`)
  }
  if (next === undefined) wrong(`${field}.cron`, `"${rule.cron}" never occurs`)
}

function checkZone(field: string, timeZone: string, wrong: Wrong): void {
  try {
    Intl.DateTimeFormat('en', { timeZone })
  } catch {
    wrong(`${field}.timeZone`, `"${timeZone}" is not a time zone like "Europe/Zurich"`)
  }
}
