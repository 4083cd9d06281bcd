import { backOff } from '../back-off.ts'
import { hostname } from 'node:os'
import type { Pool } from 'pg'
import type { Transports } from './attempt/attempt.ts'
import { checkTable } from '../outbox/check-table.ts'
import type { Outbox } from '../outbox/define.ts'
import { toMs, type Duration } from '../duration.ts'
import { DefinitionError, SQLSTATE, sqlState } from '../errors.ts'
import { connectionGate } from '../database/connection-gate.ts'
import { Listener } from '../database/listener.ts'
import { consoleLog, type Log } from '../log.ts'
import { maintain } from '../maintain/maintenance.ts'
import { outboxStats, type OutboxStats } from '../maintain/stats.ts'
import { noMetrics, type Metrics } from '../metrics.ts'
import { LoopShare } from './loop-share.ts'
import { checkRelayFields } from './relay-options.ts'
import { RecurringClock } from './recurring-clock.ts'
import { Runner } from './runner.ts'
import { takeSamples } from '../maintain/sample.ts'
import { poolHandle, type PoolHandle } from '../database/pool-handle.ts'
import { SuspectMutex } from './suspect-mutex.ts'
import { deleteOthers } from '../control/recurring.sql.ts'
import { leave } from './relay.sql.ts'
import { listenForWakes, wakeIn, notifyWakes } from '../database/wake.sql.ts'
import { startPeriodically, type PeriodicTask } from '../maintain/periodic.ts'
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../database/transaction.ts'
import { sleep } from '../sleep.ts'

/** What says beforehand that there is a pooler in transaction mode, and spares the wait at the start. */
const POLL = `mode: 'poll' (POSTHORN_RELAY_MODE=poll)`

/** Twice a minute, so that no minute is left out. */
const SAMPLE_MS = 30_000

export interface RelayOptions {
  /** Needs one connection a lane and two more for each outbox to run at full speed; works with one. */
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
   * Checks the tables and begins; resolves once every lane runs. While the database cannot be
   * reached it waits, until `stop`; it rejects if a table does not fit its definition.
   */
  start(): Promise<void>
  /** Takes no more claims, settles what is under way, gives back its leases. */
  stop(): Promise<void>
  /** `start`, then `stop` when the signal aborts. */
  run(options: { signal: AbortSignal }): Promise<void>
  /**
   * One look at every outbox, for tests and scripts: returns the number of messages claimed. Gives its
   * leases back at once, unless the relay runs.
   */
  tick(): Promise<number>
  /** How each outbox is doing, in all processes. */
  stats(): Promise<OutboxStats[]>
}

/** Delivers what is in the outboxes. The host owns the pool, the transports and the signals. */
export function createRelay(options: RelayOptions): Relay {
  checkRelayFields(options, (field, problem) => {
    throw new DefinitionError('createRelay()', field, problem)
  })
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
    log.warn({ relay: name, set: POLL }, 'prepared statements are refused; going on without')
  let handle = poolHandle(pool, { prepare: mode === 'listen', onRefused })
  const { version, sharesProcess = false } = options
  const loopShare = sharesProcess ? new LoopShare() : undefined
  const makeParts = () =>
    assemble({ outboxes, handle, transports, name, version, loopShare, log, metrics, pool })
  // Made anew by every `stop`: a relay can be started again.
  let { runners, clocks, listener, selfNotification } = makeParts()
  let stopTasks = async (): Promise<void> => undefined
  let running: Promise<unknown> | undefined
  let starting: { readonly over: Promise<void>; abort(): void } | undefined
  // A pool without a listener for errors ends the process when an idle connection dies.
  const onPoolError = (error: Error) => {
    // The pool hangs its client, settings and all, on the error: that is not for a log.
    Reflect.deleteProperty(error, 'client')
    log.warn({ err: error }, 'idle database connection lost; the pool replaces it')
  }

  /** Goes on without where notifications do not come: what was prepared would be gone as well. */
  const listen = async (signal: AbortSignal) => {
    await listener.open()
    if (!listener.isOpen) return
    // One that cannot be sent says nothing about those that can.
    const isHeard = await selfNotification.comesBack(handle.db, signal).catch(() => true)
    if (isHeard || signal.aborted) return
    // As behind a pooler in transaction mode.
    log.warn({ relay: name, set: POLL }, 'NOTIFY does not come through; polling, nothing prepared')
    await listener.close()
    handle = poolHandle(pool, { prepare: false })
    ;({ runners, clocks, listener, selfNotification } = makeParts())
  }

  const begin = async (signal: AbortSignal) => {
    pool.on('error', onPoolError)
    try {
      for (const outbox of outboxes) {
        const check = async () => {
          await checkTable(handle.db, outbox, log)
          await forgetRecurring(handle.db, outbox)
        }
        await onceReachable(check, { log, signal })
      }
      if (mode === 'listen' && !signal.aborted) await listen(signal)
      for (const clock of clocks) await onceReachable(() => clock.register(), { log, signal })
      if (signal.aborted) {
        await listener.close()
        ;({ runners, clocks, listener, selfNotification } = makeParts())
        return
      }
      stopTasks = startPeriodically(tasksOf(options), { log, metrics })
      running = Promise.all([...runners.values(), ...clocks].map((part) => part.run()))
      // Heard again in `stop`; here it only must not be unhandled.
      running.catch(() => undefined)
    } finally {
      if (!running) pool.off('error', onPoolError)
    }
  }

  /** A process that ends after a look would keep its share from the next one until its leases ran out. */
  const leaveAtOnce = async () => {
    try {
      await Promise.all([...runners.values()].map((runner) => runner.close()))
      await handle.db.query(leave(name))
    } catch (error) {
      log.error({ err: error }, 'relay stop failed; its leases will run out')
    }
  }

  const relay: Relay = {
    name,
    async start() {
      if (running) return
      if (!starting) {
        const stopped = new AbortController()
        const over = begin(stopped.signal).finally(() => (starting = undefined))
        starting = { over, abort: () => stopped.abort() }
      }
      await starting.over
    },
    async stop() {
      starting?.abort()
      await starting?.over.catch(() => undefined)
      if (!running) return
      for (const part of [...runners.values(), ...clocks]) part.stop()
      await Promise.all([listener.close(), stopTasks()])
      const drainMs = toMs(options.drain ?? '10s')
      const deadline = setTimeout(() => runners.forEach((runner) => runner.abort()), drainMs)
      try {
        await running
        await handle.db.query(leave(name))
      } catch (error) {
        log.error({ err: error }, 'relay stop failed; its leases will run out')
      } finally {
        clearTimeout(deadline)
        running = undefined
        ;({ runners, clocks, listener, selfNotification } = makeParts())
        pool.off('error', onPoolError)
      }
    },
    async run({ signal }) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await Promise.race([relay.start(), aborted])
      await aborted
      await relay.stop()
    },
    async tick() {
      try {
        await Promise.all(clocks.map((clock) => clock.tick()))
        const claimed = await Promise.all([...runners.values()].map((runner) => runner.tick()))
        return claimed.reduce((sum, each) => sum + each, 0)
      } finally {
        if (!running && !starting) await leaveAtOnce()
      }
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
function assemble(parts: Parts) {
  const { pool, outboxes, name: relay, ...shared } = parts
  const { handle, log } = shared
  const suspectMutex = new SuspectMutex()
  const selfNotification = new SelfNotification()
  const runners = new Map(
    outboxes.map((outbox) => [outbox.name, new Runner({ ...shared, outbox, relay, suspectMutex })]),
  )
  const clocks = outboxes
    .filter(({ recurring }) => Object.keys(recurring).length > 0)
    .map((outbox) => new RecurringClock({ outbox, handle, log }))
  const listener = new Listener({
    pool,
    log,
    listen: listenForWakes,
    // One claim finds what was notified while the listener was not connected.
    onOpen: () => runners.forEach((runner) => runner.ring('ring')),
    onNotification: (payload) => {
      selfNotification.hear(payload)
      const wake = wakeIn(payload)
      if (wake?.outbox === '*') {
        runners.forEach((runner) => runner.ring(wake.ring))
        clocks.forEach((clock) => clock.ring())
      } else if (wake) runners.get(wake.outbox)?.ring(wake.ring)
    },
  })
  return { runners, clocks, listener, selfNotification }
}

/** The first run waits until the process has found its feet. */
const FIRST_RUN_MS = 10_000

/** What a relay does beside delivering, each in one process at a time. */
function tasksOf({ pool, outboxes, log = consoleLog, maintenance = '1h' }: RelayOptions) {
  const task = (name: string, everyMs: number, step: PeriodicTask['step']): PeriodicTask => ({
    name,
    everyMs,
    firstMs: Math.min(FIRST_RUN_MS, everyMs),
    step,
  })
  const sampling = task('engine.sampling', SAMPLE_MS, async (signal) => {
    await takeSamples(pool, outboxes, { log, signal })
    for (const outbox of outboxes) await forgetRecurring(pool, outbox)
  })
  if (maintenance === 'off') return [sampling]
  const maintaining = task('engine.maintenance', toMs(maintenance), async (signal) => {
    // It holds a connection for its lock and works on others.
    const release = await connectionGate(pool).acquireUntil(signal)
    if (release) await maintain(pool, outboxes, { log, signal }).finally(release)
  })
  return [maintaining, sampling]
}

async function forgetRecurring(db: Queryable, { name, recurring }: Outbox): Promise<void> {
  await db.query(deleteOthers({ outbox: name, names: Object.keys(recurring) }))
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

/** It takes milliseconds where it comes at all. */
const WITHIN_MS = 3_000

/**
 * A notification that a relay sends to itself at its start. A pooler in transaction mode gives the
 * connection that listens to another client, and does so without an error: then it never comes.
 */
class SelfNotification {
  readonly #payload = `self ${randomUUID()}`
  readonly #heard = Promise.withResolvers<void>()

  /** Every notification of the channel. */
  hear(payload: string): void {
    if (payload === this.#payload) this.#heard.resolve()
  }

  /** Sends it; false if it does not come back. Rejects if the database cannot be reached. */
  async comesBack(db: Queryable, signal: AbortSignal): Promise<boolean> {
    await db.query(notifyWakes([this.#payload]))
    const heard = this.#heard.promise.then(() => true)
    const over = new AbortController()
    const late = sleep(WITHIN_MS, AbortSignal.any([signal, over.signal])).then(() => false)
    return Promise.race([heard, late]).finally(() => over.abort())
  }
}

const AGAIN = { firstMs: 100, mostMs: 5_000 }

/** Classes and codes of a server that is not there yet, is going, or has no room for one more. */
const AWAY = /^(08...|57P0[123]|53300)$/

/** What Node and pg say of a connection that could not be made or broke. */
const BROKEN =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT)$/
const ENDED = /^(Connection terminated|timeout exceeded when trying to connect)/

/**
 * Runs `work`, and again for as long as the database cannot be reached: a relay that starts while
 * Postgres restarts waits for it, as one that runs does. Again, too, when relays that start together write
 * the same row and the default isolation makes that an error. Undefined when the signal aborts before.
 * Every other error is thrown.
 */
async function onceReachable<Result>(
  work: () => Promise<Result>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<Result | undefined> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    const pauseMs = backOff(failures, AGAIN)
    try {
      return await work()
    } catch (error) {
      if (isAway(error)) {
        log.error(
          { err: error, pauseMs },
          'the database cannot be reached; the relay starts when it can',
        )
      } else if (sqlState(error) !== SQLSTATE.serializationFailure) throw error
      await pause(pauseMs, signal)
    }
  }
  return undefined
}

function isAway(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return AWAY.test(state)
  // Several addresses of one name are several errors in one.
  if (error instanceof AggregateError) return error.errors.some(isAway)
  if (!(error instanceof Error)) return false
  return ('code' in error && BROKEN.test(String(error.code))) || ENDED.test(error.message)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
