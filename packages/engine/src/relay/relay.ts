import { hostname } from 'node:os'
import type { Pool } from 'pg'
import type { Transports } from './attempt/attempt.ts'
import { checkTable } from '../outbox/check-table.ts'
import type { Outbox } from '../outbox/define.ts'
import { toMs, type Duration } from '../duration.ts'
import { DefinitionError } from '../errors.ts'
import { connectionGate } from '../database/connection-gate.ts'
import { everyone } from '../database/bell.ts'
import { Listener } from '../database/listener.ts'
import { createNotifier, type Notifier } from '../enqueue/notifier.ts'
import { onceReachable } from '../database/once-reachable.ts'
import { consoleLog, type Log } from '../log.ts'
import { maintain } from '../maintain/maintenance.ts'
import { outboxStats, type OutboxStats } from '../maintain/stats.ts'
import { noMetrics, type Metrics } from '../metrics.ts'
import { LoopShare } from './loop-share.ts'
import { checkRelayFields } from './relay-options.ts'
import { RecurringClock } from './recurring-clock.ts'
import { Agenda } from './agenda/agenda.ts'
import { Lifetime } from './lifetime.ts'
import { Flow } from './flow.ts'
import { drainWithin } from './drain.ts'
import { runUntil, sleepyRelay } from './sleepy-relay.ts'
import { SelfNotification } from './session/self-notification.ts'
import { Session } from './session/session.ts'
import { takeSamples } from '../maintain/sample.ts'
import { watchDestinations } from '../maintain/destinations.ts'
import { poolHandle, type PoolHandle } from '../database/pool-handle.ts'
import { TableWatch } from '../maintain/table-watch.ts'
import { SuspectMutex } from './suspect-mutex.ts'
import { deleteOthers } from '../control/recurring.sql.ts'
import { adoptStorage } from './storage.ts'
import { listenForWakes, wakeIn } from '../database/wake.sql.ts'
import { startPeriodically, type PeriodicTask } from '../maintain/periodic.ts'
import { randomUUID } from 'node:crypto'

/** What says beforehand that there is a pooler in transaction mode, and spares the wait at the start. */
const POLL = `mode: 'poll' (POSTHORN_RELAY_MODE=poll)`

/** About as often as a heartbeat says which breakers are open. */
const DESTINATIONS_MS = 10_000

/** As long as a rule that no definition has any more is kept at the least. */
const RECURRING_MS = 600_000

/** Twice a minute, so that no minute is left out. */
const SAMPLE_MS = 30_000

export interface RelayOptions {
  /** At full speed each outbox uses a connection for each batch in hand, and two more; one is enough to work. */
  readonly pool: Pool
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types run side by side
  readonly outboxes: readonly Outbox<any>[]
  /** Live clients by the name that destinations use. */
  readonly transports: Transports
  /**
   * `listen` (default) hears NOTIFY on a connection of its own and prepares its statements; `poll`
   * does neither, for a pooler in transaction mode such as PgBouncer. A relay that listens and does
   * not hear itself at its start warns of it and goes on as in `poll`.
   */
  readonly mode?: 'listen' | 'poll'
  /** How often this relay runs `maintain`; `off` leaves it to the host. Default `1h`. */
  readonly maintenance?: Duration | 'off'
  /** How long `stop` waits for attempts under way before it aborts them. Default `10s`. */
  readonly drain?: Duration
  /**
   * Closes the relay's connections after this long without work, so that a serverless database can suspend.
   * What this process enqueues, `wake`, and the next due time wake it; what others enqueue does not.
   * Default: never.
   */
  readonly sleepAfter?: Duration
  /** How long it sleeps at most: so late may a message of another process be. Default `15m`. */
  readonly sleepAtMost?: Duration
  /**
   * Whether the process answers requests too: with a backlog the relay then leaves it a third of the
   * event loop's time, and is that much slower. Default false.
   */
  readonly sharesProcess?: boolean
  /** Appears in `posthorn.relay`. Default: host, process id and a random part. */
  readonly name?: string
  /** What is deployed, e.g. `2.4.1`: charts mark when it changed. */
  readonly version?: string
  /** Default: warnings and errors on the console. */
  readonly log?: Log
  readonly metrics?: Metrics
}

export interface Relay {
  readonly name: string
  /**
   * Checks the tables and begins; resolves once every outbox runs. While the database cannot be
   * reached it waits, until `stop`; it rejects if a table does not fit its definition.
   */
  start(): Promise<void>
  /** Takes no more claims, settles what is under way, gives back its leases. */
  stop(): Promise<void>
  /** `start`, then `stop` when the signal aborts. */
  run(options: { signal: AbortSignal }): Promise<void>
  /**
   * Delivers everything that is due now, for tests and scripts, and returns the number of messages claimed.
   * What becomes due meanwhile may wait for the next call. Gives its leases back at once, unless the relay runs.
   */
  runOnce(): Promise<number>
  /**
   * Delivers until nothing is due, or until the time is up, and leaves nothing behind: for functions that run on a
   * schedule. Attempts that are still in flight then get as long as `stop` gives them.
   */
  drain(options: { for: Duration }): Promise<Drained>
  /** Looks for messages now, after a webhook or a queue said that there are some; ends a sleep. */
  wake(): void
  /** How each outbox is doing, in all processes. */
  stats(): Promise<OutboxStats[]>
}

export interface Drained {
  /** Messages claimed. */
  readonly claimed: number
  /** Milliseconds until something is due, for the next call; 0 if the time was up before, Infinity if nothing waits. */
  readonly dueInMs: number
}

/** A relay as one sees it that sends it to sleep. */
export interface WatchedRelay extends Relay {
  /** When a message was last claimed or settled, by `performance.now()`. */
  workedAt(): number
  /** Milliseconds until something is due; 0 where something is in hand or due, Infinity where nothing waits. */
  look(): Promise<number>
}

/** Delivers what is in the outboxes. The host owns the pool, the transports and the signals. */
export function createRelay(options: RelayOptions): Relay {
  checkRelayFields(options, (field, problem) => {
    throw new DefinitionError('createRelay()', field, problem)
  })
  const relay = createAwake(options)
  const { sleepAfter, sleepAtMost = '15m', outboxes, pool, log = consoleLog } = options
  if (sleepAfter === undefined) return relay
  const times = { afterMs: toMs(sleepAfter), atMostMs: toMs(sleepAtMost) }
  return sleepyRelay(relay, { ...times, bells: outboxes.map(({ bell }) => bell), pool, log })
}

function createAwake(options: RelayOptions): WatchedRelay {
  const {
    pool,
    outboxes,
    transports,
    mode = 'listen',
    log = consoleLog,
    metrics = noMetrics,
  } = options
  checkBindings(outboxes, transports)
  const name = options.name ?? `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`
  const onRefused = () =>
    log.warn({ relay: name, set: POLL }, 'prepared statements refused; continuing without them')
  let handle = poolHandle(pool, { prepare: mode === 'listen', onRefused })
  const { version, sharesProcess = false } = options
  const loopShare = sharesProcess ? new LoopShare() : undefined
  const makeParts = () =>
    assemble({ outboxes, handle, transports, name, version, loopShare, log, metrics, pool })
  // Made again by every `stop`: a relay can be started again.
  let parts = makeParts()
  let stopTasks = async (): Promise<void> => undefined
  let notifier: Notifier | undefined
  let running: Promise<unknown> | undefined
  let starting: { readonly over: Promise<void>; abort(): void } | undefined
  let draining: Promise<unknown> = Promise.resolve()
  const tasks = tasksOf(options)
  // A pool without a listener for errors ends the process when an idle connection dies.
  const onPoolError = (error: Error) => {
    // The pool hangs its client, settings and all, on the error: that is not for a log.
    Reflect.deleteProperty(error, 'client')
    log.warn({ err: error }, 'idle database connection lost; the pool replaces it')
  }

  /** Continues without where notifications do not come: what was prepared would be gone as well. */
  const listen = async (signal: AbortSignal) => {
    const { listener, isHeard } = parts
    await listener.open()
    if (!listener.isOpen || (await isHeard(signal)) || signal.aborted) return
    // As behind a pooler in transaction mode.
    log.warn(
      { relay: name, set: POLL },
      'NOTIFY does not arrive; polling without prepared statements',
    )
    await listener.close()
    handle = poolHandle(pool, { prepare: false })
    const { lifetime } = parts
    parts = makeParts()
    await lifetime.end()
    await parts.lifetime.begin([])
  }

  /** Without `isBrief` it hears what others enqueue, and does what is to be done now and then. */
  const begin = async (signal: AbortSignal, isBrief = false) => {
    pool.on('error', onPoolError)
    try {
      for (const outbox of outboxes) {
        await onceReachable(() => checkTable(handle.db, outbox, log), { log, signal })
      }
      await onceReachable(() => handle.db.query(deleteOthers(outboxes)), { log, signal })
      await onceReachable(() => parts.lifetime.begin([]), { log, signal })
      if (mode === 'listen' && !isBrief && !signal.aborted) await listen(signal)
      for (const outbox of signal.aborted ? [] : outboxes) {
        const adopt = () => adoptStorage(handle, outbox, { session: parts.session, log })
        await onceReachable(adopt, { log, signal })
      }
      const { clocks, flows, lifetime, listener } = parts
      for (const clock of clocks) await onceReachable(() => clock.register(), { log, signal })
      if (signal.aborted) {
        await listener.close()
        await lifetime.end()
        parts = makeParts()
        return
      }
      if (!isBrief) stopTasks = startPeriodically(tasks(), { log, metrics })
      const runs = [...flows.values(), ...clocks].map((part) => part.run())
      // All have ended, also where one failed.
      running = Promise.allSettled(runs).then(() => Promise.all(runs))
      if (listener.isOpen) {
        const elsewhere = [...flows].map(([box, flow]) => ({
          name: box,
          bell: flow.elsewhere,
        }))
        notifier = createNotifier(pool, elsewhere, { log })
      }
      lifetime.divide()
      // Heard again in `stop`; here it only must not be unhandled.
      running.catch(() => undefined)
    } catch (error) {
      // Nobody is to count on a relay that did not start.
      await parts.listener.close()
      await parts.lifetime.end().catch(() => undefined)
      parts = makeParts()
      throw error
    } finally {
      if (!running) pool.off('error', onPoolError)
    }
  }

  const launch = async (isBrief = false) => {
    if (running) return
    if (!starting) {
      const stopped = new AbortController()
      const over = begin(stopped.signal, isBrief).finally(() => (starting = undefined))
      starting = { over, abort: () => stopped.abort() }
    }
    await starting.over
  }
  const wake = () => {
    parts.flows.forEach((flow) => flow.lookAgain())
    parts.clocks.forEach((clock) => clock.ring())
  }
  const isBusy = () => [...parts.flows.values()].some(({ window }) => !window.isEmpty)
  const workedAt = () => Math.max(...[...parts.flows.values()].map(({ window }) => window.workedAt))
  const countClaimed = () =>
    [...parts.flows.values()].reduce((sum, { window }) => sum + window.claimed, 0)
  const drain = async (ms: number): Promise<Drained> => {
    const isAlone = !running && !starting
    await launch(true)
    const claimedBefore = countClaimed()
    try {
      const dueInMs = await drainWithin(ms, { isBusy, look: relay.look, wake })
      return { claimed: countClaimed() - claimedBefore, dueInMs }
    } finally {
      if (isAlone) await relay.stop()
    }
  }

  const relay: WatchedRelay = {
    name,
    async start() {
      await draining
      await launch()
    },
    async stop() {
      starting?.abort()
      await starting?.over.catch(() => undefined)
      if (!running) return
      const { flows, clocks, listener, lifetime } = parts
      for (const part of [...flows.values(), ...clocks]) part.stop()
      await Promise.all([listener.close(), notifier?.close(), stopTasks()])
      const drainMs = toMs(options.drain ?? '10s')
      const deadline = setTimeout(() => flows.forEach((flow) => flow.worker.abort()), drainMs)
      try {
        try {
          await running
        } finally {
          // The heartbeat ends, whatever became of the outboxes.
          await lifetime.end()
        }
      } catch (error) {
        log.error({ err: error }, 'relay stop failed; its leases will run out')
      } finally {
        clearTimeout(deadline)
        running = undefined
        parts = makeParts()
        pool.off('error', onPoolError)
      }
    },
    run: ({ signal }) => runUntil(signal, relay),
    async runOnce() {
      const { flows, clocks, lifetime } = parts
      const isAlone = !running && !starting
      if (isAlone) await lifetime.begin(outboxes.map((box) => box.name))
      try {
        await Promise.all(clocks.map((clock) => clock.runOnce()))
        const claimed = await Promise.all([...flows.values()].map((flow) => flow.runOnce()))
        return claimed.reduce((sum, each) => sum + each, 0)
      } finally {
        if (isAlone) {
          await Promise.all([...flows.values()].map((flow) => flow.close()))
            .then(() => lifetime.end())
            .catch((error: unknown) => {
              log.error({ err: error }, 'relay stop failed; its leases will run out')
            })
        }
      }
    },
    drain({ for: time }) {
      const ms = toMs(time)
      const drained = draining.then(() => drain(ms))
      draining = drained.catch(() => undefined)
      return drained
    },
    wake,
    workedAt,
    async look() {
      const askedAt = performance.now()
      if (isBusy()) return 0
      const dueInMs = await parts.agenda.nextMs()
      return isBusy() || workedAt() >= askedAt ? 0 : Math.max(dueInMs, 0)
    },
    stats: () => Promise.all(outboxes.map((outbox) => outboxStats(handle.db, outbox))),
  }
  return relay
}

interface Parts {
  readonly outboxes: readonly Outbox[]
  readonly handle: PoolHandle
  readonly transports: Transports
  readonly name: string
  readonly version: string | undefined
  readonly loopShare: LoopShare | undefined
  readonly log: Log
  readonly metrics: Metrics
  readonly pool: Pool
}

/** What runs between a start and a stop. */
function assemble({ pool, version, ...shared }: Parts) {
  const { handle, log, outboxes } = shared
  const suspectMutex = new SuspectMutex()
  const selfNotification = new SelfNotification()
  const session = new Session({ handle, relay: shared.name, version, outboxes })
  const flows = new Map(
    outboxes.map((outbox) => {
      const ask = () => agenda.askNow([outbox.name])
      return [outbox.name, new Flow({ ...shared, outbox, session, suspectMutex, ask })] as const
    }),
  )
  const clocks = outboxes
    .filter(({ recurring }) => Object.keys(recurring).length > 0)
    .map((outbox) => new RecurringClock({ outbox, handle, log }))
  const listener = new Listener({
    pool,
    log,
    listen: listenForWakes,
    // What was notified while the listener was not connected.
    onOpen: () => agenda.askNow(),
    onNotification: (payload) => {
      selfNotification.hear(payload)
      const wake = wakeIn(payload)
      if (wake?.outbox === '*') {
        everyone.ring()
        flows.forEach((flow) => flow.ring(wake.ring))
        clocks.forEach((clock) => clock.ring())
      } else if (wake) flows.get(wake.outbox)?.ring(wake.ring)
    },
  })
  // One that cannot be sent says nothing about those that can.
  const isHeard = async (signal: AbortSignal) =>
    listener.isOpen && selfNotification.comesBack(handle.db, signal).catch(() => true)
  const agenda: Agenda = new Agenda({
    ...{ handle, outboxes, log, isHeard },
    tell(name, found) {
      flows.get(name)?.tell(found)
      if (found?.recurring_ms != null) {
        clocks.find((clock) => clock.outbox === name)?.expect(found.recurring_ms)
      }
    },
  })
  const lifetime = new Lifetime({ session, flows: [...flows.values()], agenda, log })
  return { flows, clocks, listener, session, lifetime, agenda, isHeard }
}

/** The first run waits until the process has found its feet, and comes before it sleeps. */
const FIRST_RUN_MS = 10_000

/** What a relay does beside delivering, each in one process at a time; begins anew with each start. */
function tasksOf(options: RelayOptions): () => PeriodicTask[] {
  const { pool, outboxes, log = consoleLog, maintenance = '1h', sleepAfter } = options
  const ranAt = new Map<string, number>()
  const mostMs = sleepAfter === undefined ? FIRST_RUN_MS : toMs(sleepAfter) / 2
  const task = (name: string, everyMs: number, step: PeriodicTask['step']): PeriodicTask => {
    const sinceMs = performance.now() - (ranAt.get(name) ?? -Infinity)
    return {
      name,
      everyMs,
      firstMs: Math.max(Math.min(FIRST_RUN_MS, mostMs, everyMs), everyMs - sinceMs),
      step(signal) {
        ranAt.set(name, performance.now())
        return step(signal)
      },
    }
  }
  const tables = new TableWatch()
  const sample = async (signal: AbortSignal) => {
    await takeSamples(pool, outboxes, { log, signal })
    await tables.look(pool, outboxes, log)
  }
  const upkeep = async (signal: AbortSignal) => {
    // It holds a connection for its lock and works on others.
    const release = await connectionGate(pool).acquireUntil(signal)
    if (release) await maintain(pool, outboxes, { log, signal }).finally(release)
  }
  return () => [
    ...(maintenance === 'off' ? [] : [task('engine.maintenance', toMs(maintenance), upkeep)]),
    task('engine.sampling', SAMPLE_MS, sample),
    task(
      'engine.recurring',
      RECURRING_MS,
      async () => void (await pool.query(deleteOthers(outboxes))),
    ),
    task('engine.destinations', DESTINATIONS_MS, () => watchDestinations(pool, outboxes, log)),
  ]
}

function checkBindings(outboxes: readonly Outbox[], transports: Transports): void {
  const names = new Set<string>()
  for (const { name, destination } of outboxes) {
    if (names.has(name)) throw new DefinitionError(name, 'name', 'is defined twice in this relay')
    names.add(name)
    if (typeof destination === 'function') continue
    if (!transports[destination.transport]) {
      const bound = Object.keys(transports).join(', ') || 'none'
      throw new DefinitionError(
        name,
        'destination.transport',
        `"${destination.transport}" is not bound to the relay (bound: ${bound})`,
      )
    }
  }
}
