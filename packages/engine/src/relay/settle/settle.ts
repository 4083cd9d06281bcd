import type { Claim } from './claim.ts'
import { factsOf, stateOf, triesOf } from './decide.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { Change, State } from '../../outbox/definition.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import { SQLSTATE, sqlState } from '../../errors.ts'
import { heldStatements } from './held.sql.ts'
import { holdArgs, holdBehind } from './key-plan.ts'
import { idOf, type Settlement } from './settlement.ts'
import { refParam, settleStatements, type Guard, type SettleRole } from './settle.sql.ts'
import type { Queryable, Transaction } from '../../database/transaction.ts'

/** What the statements need beside the messages themselves. */
export interface SettleArgs {
  readonly guard: Guard
  readonly token?: string
  readonly buckets?: readonly number[]
  readonly tokens?: readonly string[]
  readonly runs?: readonly string[]
  /** Buckets whose run was ended earlier in the same transaction. */
  readonly ended?: readonly number[]
  /** The state the messages were in, where it is not the one they were claimed from. */
  readonly from?: State | undefined
  readonly actor: string
  readonly reason: string | undefined
}

/** The order in which a batch's roles are settled; fixed, so that two relays cannot deadlock. */
const ROLES: readonly SettleRole[] = [
  'sent',
  'confirmed',
  'retry',
  'stay',
  'await',
  'dead',
  'quarantined',
]

/** Settles messages claimed by row. Returns the ids that were still ours. */
export async function settleClaim(
  handle: PoolHandle,
  outbox: Outbox,
  { claim, settlements }: { claim: Claim; settlements: readonly Settlement[] },
): Promise<Set<string>> {
  const args = claimArgs(outbox, claim)
  const roles = new Set(settlements.map(({ decision }) => decision.role))
  const blocks = outbox.order !== undefined && roles.has('dead')
  // One statement is its own transaction; more, or a hook, need one around them.
  if (roles.size === 1 && !blocks && !outbox.audit.settled) {
    return settleRoles(handle.db, outbox, { settlements, args })
  }
  return handle.transaction(async (tx) => {
    const settled = await settleIn(tx, outbox, { settlements, args })
    await holdKeysOfDead(tx, outbox, { settlements, settled })
    return settled
  })
}

/** Whether a statement met a row that another transaction has locked. */
export function isLocked(error: unknown): boolean {
  return sqlState(error) === SQLSTATE.lockNotAvailable
}

/** Which of the rows another transaction has locked; the others are locked by this one. */
export async function findLocked(
  tx: Transaction,
  outbox: Outbox,
  rows: readonly OutboxRow[],
): Promise<Set<string>> {
  const ids = rows.map((row) => idOf(outbox, row))
  const found = await run<{ id: string }>(tx, settleStatements(outbox).selectLocked, { ids })
  return new Set(found.map(({ id }) => id))
}

/** What settling by row needs to know of the claim. */
export function claimArgs(outbox: Outbox, { token, kind }: Claim): SettleArgs {
  return {
    guard: 'claim',
    token,
    from: kind === 'resend' ? undefined : outbox.states.claimed,
    actor: outbox.audit.actor,
    reason: kind === 'resend' ? 'CONFIRM_OVERDUE' : undefined,
  }
}

/** Settles inside a transaction and lets the definition's own audit see what changed. */
export async function settleIn(
  tx: Transaction,
  outbox: Outbox,
  { settlements, args }: { settlements: readonly Settlement[]; args: SettleArgs },
): Promise<Set<string>> {
  const settled = await settleRoles(tx, outbox, { settlements, args })
  const changes = settlements
    .filter(({ row }) => settled.has(idOf(outbox, row)))
    .map((settlement) => changeOf(outbox, settlement, args))
  if (changes.length > 0) await outbox.audit.settled?.(tx, changes)
  return settled
}

/** Runs one statement for each role that occurs. Returns the ids that were still ours. */
export async function settleRoles(
  db: Queryable,
  outbox: Outbox,
  { settlements, args }: { settlements: readonly Settlement[]; args: SettleArgs },
): Promise<Set<string>> {
  const settled = new Set<string>()
  const groups = Map.groupBy(settlements, ({ decision }) => decision.role)
  for (const role of ROLES) {
    const group = groups.get(role)
    if (!group) continue
    const statement = settleStatements(outbox).settle(role, args.guard)
    const [answer] = await run<{ only: string[] | null }>(db, statement, {
      ...args,
      ...columnsOf(outbox, group, { args, params: statement.params }),
      reason: args.reason ?? null,
    })
    const ids = answer?.only ?? group.map(({ row }) => idOf(outbox, row))
    for (const id of ids) settled.add(id)
  }
  return settled
}

/** The arrays that `unnest` puts together again; only those the statement reads are made. */
function columnsOf(
  outbox: Outbox,
  group: readonly Settlement[],
  { args, params }: { args: SettleArgs; params: readonly string[] },
): Record<string, string> {
  const columns: Record<string, (settlement: Settlement) => Listed> = {
    ids: ({ row }) => idOf(outbox, row),
    seq: ({ row }) => String(row['seq']),
    delay_ms: ({ decision }) => decision.delayMs ?? 0,
    counted: ({ row }) => factsOf(outbox, row).counted,
    bump: ({ decision }) => decision.bump,
    lost: ({ decision }) => decision.lost,
    code: ({ decision }) => decision.failure?.code ?? null,
    error: ({ decision }) => decision.failure?.message ?? null,
    ...Object.fromEntries(
      Object.entries(outbox.columns.ref ?? {}).map(([field, column]) => [
        refParam(column),
        ({ decision }: Settlement) => decision.ref?.[field] ?? null,
      ]),
    ),
    from_state: ({ row }) => String(args.from ?? stateOf(outbox, row)),
  }
  return Object.fromEntries(
    Object.entries(columns)
      .filter(([name]) => params.includes(name))
      .map(([name, valueOf]) => [name, list(group.map(valueOf))]),
  )
}

function changeOf(outbox: Outbox, settlement: Settlement, args: SettleArgs): Change<OutboxRow> {
  const { row, outcome, decision } = settlement
  const from = args.from ?? stateOf(outbox, row)
  const waits = decision.role === 'retry' || decision.role === 'stay'
  return {
    row,
    from,
    to: stateAfter(outbox, decision.role) ?? from,
    attempt: triesOf(outbox, factsOf(outbox, row)),
    outcome,
    retryInMs: waits ? decision.delayMs : undefined,
  }
}

function stateAfter({ states }: Outbox, role: SettleRole): State | undefined {
  if (role === 'stay' || role === 'quarantined') return states.claimed && states.retry
  return role === 'await' ? undefined : states[role]
}

/** In an ordered outbox what waits, and what is behind a dead message, waits behind its key. */
export async function holdKeysOf(
  tx: Transaction,
  outbox: Outbox,
  settlements: readonly Settlement[],
): Promise<void> {
  if (!outbox.order) return
  const holds = settlements.flatMap(({ row, decision }) => holdBehind(outbox, row, decision) ?? [])
  if (holds.length === 0) return
  const { holdKeys, parkTails } = heldStatements(outbox)
  await run(tx, holdKeys, holdArgs(holds))
  if (parkTails) await run(tx, parkTails, { keys: holds.map(({ key }) => key) })
}

/** The same for what ended after it had left its key's queue: it was sent, and could not be settled again. */
export async function holdKeysOfDead(
  tx: Transaction,
  outbox: Outbox,
  { settlements, settled }: { settlements: readonly Settlement[]; settled: ReadonlySet<string> },
): Promise<void> {
  if (!outbox.order) return
  const dead = settlements.filter(
    ({ row, decision }) => decision.role === 'dead' && settled.has(idOf(outbox, row)),
  )
  await holdKeysOf(tx, outbox, dead)
}

// What an array's text can hold without quotes: ids, numbers, states, codes.
const PLAIN = /^[\w.:+-]+$/
const NULL = /^null$/i

type Listed = string | number | bigint | null | undefined

/**
 * A list as Postgres reads it. pg would make the same text out of an array, by way of several strings
 * for each value; a batch has thousands.
 */
export function list(values: readonly Listed[]): string {
  const texts = values.map((value) => {
    if (value === null || value === undefined) return 'NULL'
    if (typeof value === 'number') return value
    const text = String(value)
    return PLAIN.test(text) && !NULL.test(text) ? text : quote(text)
  })
  return `{${texts.join(',')}}`
}

/** Postgres text cannot hold NUL: one in a text must never make settling fail. */
function quote(text: string): string {
  return `"${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
