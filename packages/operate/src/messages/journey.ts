import type { Pool } from 'pg'
import { run, withoutPreparing, inSql, inboxId } from '@posthorn/engine/internal'
import { type Outbox, SQLSTATE, sqlState, transaction } from '@posthorn/engine'
import type { MessageDetails, Transition } from './messages.ts'
import {
  limitSearch,
  selectHasTopics,
  selectInboxes,
  selectReceipts,
  selectTopicMessage,
  selectTraced,
} from './messages.sql.ts'
import { viewMessage } from './payloads.ts'

/** Something that happened on a message's way, as far as a table says so. */
export type JourneyStep =
  /** The transaction that wrote it. */
  | { readonly kind: 'created'; readonly at: Date }
  | ({ readonly kind: 'transition' } & Transition)
  /** It stands in a topic; `at` is known for topics in Postgres only. */
  | {
      readonly kind: 'arrived'
      readonly at: Date | undefined
      readonly transport: string
      readonly topic: string
      readonly ref: Readonly<Record<string, string>>
      readonly groups: readonly { readonly group: string; readonly hasPassed: boolean }[]
    }
  /** A consumer has done its part: its inbox says so. */
  | {
      readonly kind: 'received'
      readonly at: Date
      readonly inbox: string
      readonly consumer: string
    }
  /** Another message that was written in the same trace: a cause or an effect. */
  | {
      readonly kind: 'related'
      readonly at: Date
      readonly outbox: string
      readonly messageId: string
      readonly state: string
    }

export interface Journey {
  /** The id that brokers and consumers know. */
  readonly eventId: string | undefined
  readonly traceId: string | undefined
  /** By time; what has none stands behind what it followed. */
  readonly steps: readonly JourneyStep[]
  /** False if messages of the same trace may be missing: looking for them took too long. */
  readonly isComplete: boolean
}

/**
 * Where a message came from and what became of it: outbox, topic, inboxes, and what is of its
 * trace; of that only what belongs to `tenant`, if one is named.
 */
export async function readJourney(
  pool: Pool,
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types stand side by side
  outboxes: readonly Outbox<any>[],
  { outbox, details, tenant }: { outbox: Outbox; details: MessageDetails; tenant?: string },
): Promise<Journey> {
  const { message } = viewMessage(outbox, details.row)
  const eventId = message?.id
  const traceId = traceOf(outbox, details)
  const [arrived, received, related] = await Promise.all([
    arrival(pool, outbox, details),
    eventId === undefined ? [] : receipts(pool, eventId),
    traceId === undefined
      ? NOTHING
      : relatives(pool, outboxes, { traceId, own: details.id, tenant }),
  ])
  const created: JourneyStep[] = details.createdAt
    ? [{ kind: 'created', at: details.createdAt }]
    : []
  const transitions = details.transitions.map((each) => ({ kind: 'transition', ...each }) as const)
  const timed = [...created, ...transitions, ...received, ...related.steps]
  // A clock that was moved may date its creation behind what came of it: it comes first all the same.
  const [first] = transitions
  const at = (step: JourneyStep) =>
    step.kind === 'created' && first && first.at < step.at ? Number(first.at) : Number(step.at)
  const sorted = timed.toSorted((a, b) => at(a) - at(b))
  return {
    eventId,
    traceId,
    steps: arrived ? placeArrival(sorted, arrived, String(outbox.states.sent)) : sorted,
    isComplete: related.isComplete,
  }
}

type Arrival = Extract<JourneyStep, { kind: 'arrived' }>

/** Where a message arrived stands behind the transition that says it was sent. */
function placeArrival(
  steps: readonly JourneyStep[],
  arrived: Arrival,
  sent: string,
): JourneyStep[] {
  const at = steps.findLastIndex((step) => step.kind === 'transition' && step.to === sent)
  return steps.toSpliced(at < 0 ? steps.length : at + 1, 0, arrived)
}

function traceOf({ columns }: Outbox, { row }: MessageDetails): string | undefined {
  const traceparent = columns.traceparent === undefined ? undefined : row[columns.traceparent]
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(traceparent))?.[1]
}

async function arrival(
  pool: Pool,
  outbox: Outbox,
  { row }: MessageDetails,
): Promise<Arrival | undefined> {
  const { destination } = viewMessage(outbox, row)
  const ref = Object.fromEntries(
    Object.entries(outbox.columns.ref ?? {})
      .map(([field, column]) => [field, row[column]] as const)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([field, value]) => [field, String(value)]),
  )
  if (!destination || Object.keys(ref).length === 0) return undefined
  const { transport, topic } = destination
  const step = { kind: 'arrived', at: undefined, transport, topic, ref, groups: [] } as const
  const { partition, offset } = ref
  if (partition === undefined || offset === undefined || transport !== 'topics') return step
  const { rows: known } = await pool.query<{ has_topics: boolean }>(selectHasTopics)
  if (!known[0]?.has_topics) return step
  const { rows } = await pool.query<{ appended_at: Date; groups: Arrival['groups'] }>(
    selectTopicMessage({ topic, partition, offset }),
  )
  return rows[0] ? { ...step, at: rows[0].appended_at, groups: rows[0].groups } : step
}

async function receipts(pool: Pool, id: string): Promise<JourneyStep[]> {
  const { rows: inboxes } = await pool.query<{ schema: string; name: string }>(selectInboxes)
  const found = inboxes.map(async ({ schema, name }): Promise<JourneyStep[]> => {
    const inbox = `${schema}.${name}`
    const { rows } = await pool.query<{ consumer: string; received_at: Date }>(
      selectReceipts(inbox, inboxId(id)),
    )
    return rows.map(({ consumer, received_at: at }) => ({ kind: 'received', at, inbox, consumer }))
  })
  return (await Promise.all(found)).flat()
}

interface Relatives {
  readonly steps: readonly JourneyStep[]
  readonly isComplete: boolean
}

const NOTHING: Relatives = { steps: [], isComplete: true }

async function relatives(
  pool: Pool,
  outboxes: readonly Outbox[],
  { traceId, own, tenant }: { traceId: string; own: string; tenant: string | undefined },
): Promise<Relatives> {
  const traced = outboxes.filter(
    ({ columns }) =>
      columns.traceparent !== undefined && (tenant === undefined || columns.tenant !== undefined),
  )
  const wanted = { traceId, tenant }
  const found = await Promise.all(traced.map((outbox) => findTraced(pool, outbox, wanted)))
  return {
    steps: found.flatMap((each) => each ?? []).filter(({ messageId }) => messageId !== own),
    isComplete: !found.includes(undefined),
  }
}

/** Undefined if it took too long. */
async function findTraced(
  pool: Pool,
  outbox: Outbox,
  { traceId, tenant }: { traceId: string; tenant: string | undefined },
): Promise<Extract<JourneyStep, { kind: 'related' }>[] | undefined> {
  try {
    return await transaction(pool, async (tx) => {
      await tx.query(limitSearch)
      const rows = await run<{ id: string; state: string; at: Date }>(
        withoutPreparing(tx),
        selectTraced(inSql(outbox), tenant !== undefined),
        { pattern: `00-${traceId}-%`, tenant },
      )
      return rows.map(({ id, state, at }) => ({
        kind: 'related',
        at,
        outbox: outbox.name,
        messageId: id,
        state,
      }))
    })
  } catch (error) {
    if (sqlState(error) === SQLSTATE.queryCanceled) return undefined
    throw error
  }
}
