import type { Log, Outbox } from '@posthorn/engine'
import { openAlerts, outboxStats, type OutboxStats } from '@posthorn/operate'
import { readConsumers } from '@posthorn/operate/internal'
import type { Measure } from '@posthorn/system'
import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { share } from '../share.ts'
import { tableGauge } from './metrics.ts'

/** Several scrapers, and an impatient one, share an answer for this long. */
const FRESH_MS = 2_000

/** A database that takes longer is as good as away: the rest of the metrics must not wait. */
const PATIENCE_MS = 4_000

/** Why a message waits. */
const REASONS = ['due', 'retrying', 'postponed', 'scheduled'] as const

/** Figures with one value for each outbox. */
const FIGURES = [
  ['posthorn_oldest_due_seconds', (stats: OutboxStats) => stats.oldestDueSeconds],
  ['posthorn_relays', (stats: OutboxStats) => stats.relays],
  ['posthorn_paused', (stats: OutboxStats) => (stats.paused ? 1 : 0)],
  ['posthorn_held_keys', (stats: OutboxStats) => stats.heldKeys],
  ['posthorn_blocked_keys', (stats: OutboxStats) => stats.blockedKeys],
  ['posthorn_quarantined', (stats: OutboxStats) => stats.quarantined],
  ['posthorn_delivered_per_second', (stats: OutboxStats) => stats.perSecond],
  ['posthorn_failure_ratio', (stats: OutboxStats) => stats.failureRate],
] as const

export interface BacklogOptions {
  readonly pool: Pool
  readonly outboxes: readonly Outbox[]
  /** What systems have to say of their own tables. */
  readonly measures: readonly Measure[]
  readonly log: Log
}

/**
 * Gauges about the tables, the same in whichever process. They are read on request: by the
 * returned function, which comes back in bounded time also without a database.
 */
export function watchBacklog(
  registry: Registry,
  { pool, outboxes, measures, log }: BacklogOptions,
): () => Promise<void> {
  const gauge = (name: Parameters<typeof tableGauge>[1], labelNames: string[] = ['outbox']) =>
    tableGauge(registry, name, labelNames)
  const messages = gauge('posthorn_messages', ['outbox', 'state'])
  const waiting = gauge('posthorn_waiting', ['outbox', 'reason'])
  const figures = FIGURES.map(([name, of]) => [gauge(name), of] as const)
  const alerts = gauge('posthorn_alerts_open', ['source'])
  const lag = gauge('posthorn_consumer_lag', ['topic', 'group'])
  const aside = gauge('posthorn_consumer_messages', ['topic', 'group', 'state'])
  const connections = gauge('posthorn_database_connections', ['state'])

  const show = (stats: OutboxStats) => {
    const { name: outbox, counts } = stats
    for (const [state, count] of Object.entries(counts)) messages.set({ outbox, state }, count)
    for (const reason of REASONS) waiting.set({ outbox, reason }, stats[reason])
    for (const [shown, of] of figures) shown.set({ outbox }, of(stats))
  }
  const up = gauge('posthorn_up', [])
  const readGroups = async () => {
    for (const { topic, group, ...found } of await readConsumers(pool)) {
      if (found.lag !== undefined) lag.set({ topic, group }, found.lag)
      aside.set({ topic, group, state: 'retry' }, found.retrying)
      aside.set({ topic, group, state: 'parked' }, found.parked)
      aside.set({ topic, group, state: 'dead' }, found.dead)
    }
  }
  const measured = measures.map(({ name, help, read: readMeasure }) => {
    const shown = new Gauge({ name, help, labelNames: ['type'], registers: [registry] })
    return async () => {
      for (const { labels, value } of await readMeasure()) shown.set(labels, value)
    }
  })
  const read = async () => {
    const found = await Promise.all(outboxes.map((outbox) => outboxStats(pool, outbox)))
    found.forEach(show)
    const open = Object.entries(await openAlerts(pool))
    alerts.reset()
    for (const [source, count] of open) alerts.set({ source }, count)
    await readGroups()
    for (const measure of measured) await measure()
    return 1
  }

  const readOften = share(FRESH_MS, () =>
    read().catch((error: unknown) => {
      log.warn({ err: error }, 'reading the backlog failed; the gauges keep their values')
      return 0
    }),
  )
  return async () => {
    connections.set({ state: 'idle' }, pool.idleCount)
    connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
    connections.set({ state: 'waited-for' }, pool.waitingCount)
    up.set(await Promise.race([readOften(), afterPatience()]))
  }
}

function afterPatience(): Promise<number> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(0), PATIENCE_MS).unref()
  })
}
