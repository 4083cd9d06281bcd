import {
  DefinitionError,
  createRelay,
  engineMigrations,
  migrate,
  silentLog,
  toMs,
  transaction,
  type Duration,
  type MigrationSet,
  type Outbox,
  type Relay,
  type RelayOptions,
  type Transaction,
  type Transport,
} from '@posthorn/engine'
import { applyRetention, startPeriodically } from '@posthorn/operate'
import type { Pool } from 'pg'
import type { AnySaga, Saga, SagaKind } from '../define/saga.ts'
import { sendSignal, type Signal, type SignalOutcome } from '../events/replies.ts'
import { sagaMigrations } from '../migrations.ts'
import { sagaRetention } from '../operate/retention.ts'
import type { SagaEvents } from '../outbox/event-outbox.ts'
import { sagaTurns } from '../outbox/turn-outbox.ts'
import { sagaTransport } from '../run/orchestrator.ts'
import { executeLocally } from './local.ts'
import { awaitSaga, startSaga, type SagaResult, type StartOptions } from './start.ts'

export interface SagasOptions extends Pick<
  RelayOptions,
  'mode' | 'maintenance' | 'drain' | 'name' | 'log' | 'metrics'
> {
  /** The outbox of the steps' events. Left out: a step that returns events fails. */
  readonly events?: SagaEvents
  /** Live clients by the name that the outbox of the events uses. */
  readonly transports?: Readonly<Record<string, Transport>>
  /** How long sagas that have ended are kept, with their steps, replies and events. Default `90d`. */
  readonly keep?: Duration | 'forever'
}

export interface ExecuteOptions extends StartOptions {
  readonly signal?: AbortSignal
}

/** What runs sagas, and delivers their events. */
export interface Sagas extends Relay {
  /** For a host whose one relay runs all of its outboxes: these … */
  readonly outboxes: readonly Outbox[]
  /** … by these transports, and its own for the events. */
  readonly transports: Readonly<Record<string, Transport>>
  /** Makes the tables, and those of other sets, where they are missing; returns itself. For development. */
  setUp(...others: readonly MigrationSet[]): Promise<Sagas>
  /** Commits when `work` resolves, rolls back when it throws, and wakes the sagas. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Begins a saga and waits for its end; it goes on if the caller dies. Some process must have started. */
  execute<Input extends object, Context extends object>(
    saga: Saga<Input, Context, SagaKind>,
    input: Input,
    options?: ExecuteOptions,
  ): Promise<SagaResult<Context>>
  /**
   * Runs every step and stores every event in one transaction: all of it, or nothing. A step that
   * fails ends the saga as `FAILED`; a database that fails throws. Nothing needs to have started.
   */
  executeLocally<Input extends object, Context extends object>(
    saga: Saga<Input, Context, 'steps'>,
    input: Input,
    options?: ExecuteOptions,
  ): Promise<SagaResult<Context>>
  /** Sends a signal to a saga, in the caller's transaction. One that comes early is kept. */
  signal(tx: Transaction, signal: Signal): Promise<SignalOutcome>
}

/**
 * Everything that a process needs for sagas: give it a pool and every saga and version that it runs, set
 * up, start. Any number of processes share the work.
 */
export function sagas(
  pool: Pool,
  definitions: readonly AnySaga[],
  options: SagasOptions = {},
): Sagas {
  const { events, transports: clients = {}, keep, mode, log = silentLog, ...rest } = options
  const { maintenance = '1h' } = rest
  const outboxes = [sagaTurns, ...(events ? [events] : [])] as unknown as Outbox[]
  const own = sagaTransport({ pool, sagas: definitions, events, mode })
  const transports = { ...clients, sagas: own }
  const given = { ...rest, ...(mode && { mode }), ...(options.log && { log: options.log }) }
  const relay = createRelay({ ...given, pool, outboxes, transports })
  const catalogue = sagaRetention(keep === undefined ? {} : { keep })
  let stopKeeping = async (): Promise<void> => undefined

  const keepTidy = (everyMs: number) =>
    startPeriodically(
      [
        {
          name: 'sagas.retention',
          everyMs,
          firstMs: Math.min(FIRST_MS, everyMs),
          async step(signal) {
            const { more } = await applyRetention(pool, catalogue, { log, signal })
            return more ? 'more' : undefined
          },
        },
      ],
      { log },
    )

  const flow: Sagas = {
    ...relay,
    outboxes,
    transports: { sagas: own },
    async start() {
      checkBound(events, clients)
      await relay.start()
      if (maintenance !== 'off') stopKeeping = keepTidy(toMs(maintenance))
    },
    async stop() {
      await stopKeeping()
      await relay.stop()
    },
    async run({ signal }) {
      await flow.start()
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        else signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await flow.stop()
    },
    async runOnce() {
      checkBound(events, clients)
      return relay.runOnce()
    },
    async setUp(...others) {
      await migrate(pool, [await engineMigrations(), await sagaMigrations(), ...others])
      return flow
    },
    transaction: (work) => transaction(pool, work),
    async execute(saga, input, { signal, ...start } = {}) {
      const { id } = await transaction(pool, (tx) => startSaga(tx, saga, { ...start, input }))
      return awaitSaga(pool, id, signal ? { signal } : {})
    },
    executeLocally: (saga, input, start = {}) =>
      executeLocally(pool, saga, { ...start, events, input }),
    signal: (tx, signal) => sendSignal(tx, definitions, signal),
  }
  return flow
}

/** The first run waits until the process has found its feet. */
const FIRST_MS = 15_000

/** Events that nothing delivers would wait in silence. */
function checkBound(events: SagaEvents | undefined, clients: SagasOptions['transports'] = {}) {
  if (!events || clients[events.transport]) return
  const bound = Object.keys(clients).join(', ') || 'none'
  throw new DefinitionError(
    'sagas()',
    'transports',
    `must have "${events.transport}", to which the events go (bound: ${bound})`,
  )
}
