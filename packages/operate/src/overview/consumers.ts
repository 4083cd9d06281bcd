import type { Queryable, Consumer, Subscriber } from '@posthorn/engine'
import { selectConsumers, selectFreshLag, upsertLag, type ConsumerRow } from './overview.sql.ts'

/** How a consumer group is doing. */
export interface ConsumerOverview {
  readonly topic: string
  readonly group: string
  /** Undefined, like the lag, where `sampleLag` never looked. */
  readonly transport: string | undefined
  /** Messages of the topic that the group has not acknowledged. */
  readonly lag: number | undefined
  readonly sampledAt: Date | undefined
  /** Set aside until their next attempt. */
  readonly retrying: number
  /** Set aside behind another one of their key. */
  readonly parked: number
  readonly dead: number
  readonly oldestDeadAt: Date | undefined
}

/** Every consumer group whose lag was sampled or that has something set aside. */
export async function readConsumers(db: Queryable): Promise<ConsumerOverview[]> {
  const { rows } = await db.query<ConsumerRow>(selectConsumers)
  return rows.map((row) => ({
    topic: row.topic,
    group: row.group_name,
    transport: row.transport ?? undefined,
    lag: row.lag ?? undefined,
    sampledAt: row.sampled_at ?? undefined,
    retrying: row.retrying,
    parked: row.parked,
    dead: row.dead,
    oldestDeadAt: row.oldest_dead_at ?? undefined,
  }))
}

/** How long a sample is good enough, whichever process took it. */
const FRESH_MS = 10_000

/**
 * Looks how far a group is behind and stores it for `readConsumers`, unless another process has just
 * done so. A transport that cannot say leaves the group without a lag.
 */
export async function sampleLag(
  db: Queryable,
  { lag }: Pick<Subscriber, 'lag'>,
  consumer: Pick<Consumer, 'topic' | 'group'> & { readonly transport: string },
): Promise<void> {
  if (!lag) return
  const { rows } = await db.query(selectFreshLag(consumer, FRESH_MS))
  if (rows.length === 0) await db.query(upsertLag(consumer, await lag(consumer)))
}
