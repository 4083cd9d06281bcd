import { connectionGate } from '@posthorn/engine/internal'
import {
  delivered,
  retryLater,
  transaction,
  type Delivery,
  type Outcome,
  type Queryable,
  type Transport,
} from '@posthorn/engine'
import { raiseAlert, recoverAlert } from '@posthorn/operate'
import type { Pool } from 'pg'
import { Checkpoints } from './checkpoints.ts'
import { SagaError } from '../errors.ts'
import type { SagaEvents } from '../outbox/event-outbox.ts'
import { isSameForks } from '../define/step.ts'
import { StepTransaction } from './step-transaction.ts'
import { keyOf, type Instance } from './instance.ts'
import type { AnySaga } from '../define/saga.ts'
import { SagaRun } from './saga-run.ts'
import { fenceTurns, holdSagas, takeTurns, takeUpSagas } from './turns.sql.ts'
import type { Turn } from '../outbox/turn-outbox.ts'
import { upgradeInstance } from './upgrade.ts'

/** What a process can say about an instance: its saga, or why it must not touch it. */
type Found =
  | { readonly saga: AnySaga }
  /** A newer version that knows how to upgrade it. */
  | { readonly upgrade: AnySaga }
  | { readonly missing: SagaError }

export interface SagaTransportOptions {
  /** Half of its connections go to steps that write through `tx`. */
  readonly pool: Pool
  /** Every saga and version that this process runs; others are left to those who know them. */
  readonly sagas: readonly AnySaga[]
  /** Where the steps' events go; not needed by sagas that send none. */
  readonly events?: SagaEvents | undefined
  /** `poll` prepares no statements, for a pooler in transaction mode. Default `listen`. */
  readonly mode?: 'listen' | 'poll' | undefined
}

/** How long a saga without a definition in this process is left to others. */
const LEFT_ALONE = '5s'

/** The transport of `sagaTurns`: it runs the sagas. */
export function sagaTransport({ pool, sagas, events, mode }: SagaTransportOptions): Transport {
  const db = pool as Queryable
  const naming = mode === 'poll' ? 'unprepared' : 'prepared'
  const registry = new Registry(sagas)
  const checkpoints = new Checkpoints(pool, { events, naming })
  // The rest is for the relay and the checkpoints: a lease must be renewed while steps wait.
  const gate = connectionGate(pool)

  const reload = async (turn: Turn) => (await takeTurns(db, [turn], naming))[0]

  const run = async (
    turn: Turn,
    instance: Instance | undefined,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    if (!instance) return delivered()
    const found = registry.find(instance)
    if ('missing' in found) return retryLater(found.missing, { after: LEFT_ALONE, charge: false })
    if ('upgrade' in found) {
      const refusal = await upgrade(turn, instance, found.upgrade)
      return refusal ?? run(turn, await reload(turn), signal)
    }
    const open = () => new StepTransaction(pool, gate)
    const context = { checkpoints, signal, open, reload }
    return new SagaRun(turn, instance, { saga: found.saga, context }).run()
  }

  /** An outcome if the instance cannot be upgraded now: it is left as it is. */
  const upgrade = async (
    turn: Turn,
    instance: Instance,
    saga: AnySaga,
  ): Promise<Outcome | undefined> => {
    try {
      await upgradeInstance(pool, instance, { saga, isDoubtful: turn.again })
      if (instance.held) await takeUp(pool, [instance])
      return undefined
    } catch (error) {
      if (!(error instanceof SagaError)) return retryLater(error)
      await reportUnrunnable(pool, [{ subject: keyOf(instance), error, ids: [instance.id] }])
      return retryLater(error, { after: LEFT_ALONE, charge: false })
    }
  }

  return {
    takes: 'each',
    async deliver(batch, { signal, report }): Promise<Outcome[]> {
      const turns = batch.map(turnOf)
      const again = turns.filter((turn) => turn.again)
      if (again.length > 0) await fenceTurns(db, again)
      const taken = await takeTurns(db, turns, naming)
      await reportMissing(pool, taken, registry)
      await reportFound(pool, taken, registry)
      const instances = new Map(
        taken.map((instance) => [`${instance.id}/${instance.turn}`, instance]),
      )
      return Promise.all(
        turns.map(async (turn, at) => {
          const outcome = await run(turn, instances.get(`${turn.sagaId}/${turn.turn}`), signal)
          report?.(at, outcome)
          return outcome
        }),
      )
    },
    async close() {
      // The pool is the host's.
    },
  }
}

function turnOf({ message }: Delivery): Turn {
  return message.payload as Turn
}

/** During a deployment some processes know a version and others do not: that is no alert yet. */
const PATIENCE_MS = 30_000

/** One alert for each definition that is missing here, however many of its sagas wait for it. */
async function reportMissing(
  pool: Pool,
  taken: readonly Instance[],
  registry: Registry,
): Promise<void> {
  const missing = new Map<string, { error: SagaError; ids: string[] }>()
  for (const instance of taken) {
    const found = registry.find(instance)
    if (!('missing' in found)) continue
    const known = missing.get(keyOf(instance))
    if (known) known.ids.push(instance.id)
    else missing.set(keyOf(instance), { error: found.missing, ids: [instance.id] })
  }
  if (missing.size === 0) return
  await reportUnrunnable(
    pool,
    [...missing].map(([subject, each]) => ({ subject, ...each })),
  )
}

/** Notes on sagas why this process leaves them alone, with an alert for each definition. */
async function reportUnrunnable(
  pool: Pool,
  reports: readonly { subject: string; error: SagaError; ids: readonly string[] }[],
): Promise<void> {
  await transaction(pool, async (tx) => {
    for (const { subject, error, ids } of reports) {
      if (!(await holdSagas(tx, ids, { error, patienceMs: PATIENCE_MS }))) continue
      await raiseAlert(tx, { source: 'sagas', subject, code: error.code, detail: error.message })
    }
  })
}

/** What was held is known here: it goes on, and the alert for its definition has recovered. */
async function reportFound(
  pool: Pool,
  taken: readonly Instance[],
  registry: Registry,
): Promise<void> {
  const found = taken.filter((instance) => instance.held && 'saga' in registry.find(instance))
  if (found.length > 0) await takeUp(pool, found)
}

async function takeUp(pool: Pool, found: readonly Instance[]): Promise<void> {
  await transaction(pool, async (tx) => {
    await takeUpSagas(
      tx,
      found.map(({ id }) => id),
    )
    for (const subject of new Set(found.map(keyOf))) {
      await recoverAlert(tx, { source: 'sagas', subject })
    }
  })
}

/** The definitions a process runs, several versions of one saga side by side. */
class Registry {
  readonly #sagas = new Map<string, AnySaga>()

  constructor(sagas: readonly AnySaga[]) {
    for (const saga of sagas) {
      const key = keyOf(saga)
      if (this.#sagas.has(key)) {
        throw new SagaError('SAGA_DEFINITION_INVALID', `saga ${key} is registered twice`)
      }
      this.#sagas.set(key, saga)
    }
  }

  find(instance: Instance): Found {
    const key = keyOf(instance)
    const saga = this.#sagas.get(key)
    if (!saga) {
      const upgrade = this.#upgradeOf(instance)
      if (upgrade) return { upgrade }
      return { missing: new SagaError('SAGA_UNKNOWN', `${key} is not registered here`) }
    }
    const names = saga.steps.map(({ name }) => name)
    const same =
      names.length === instance.step_names.length &&
      names.every((name, i) => name === instance.step_names[i]) &&
      isSameForks(saga.forks, instance.forks ?? [])
    if (same) return { saga }
    const problem = `${key} was begun with the steps ${instance.step_names.join(', ')} and now has ${names.join(', ')}, or others of them side by side`
    return { missing: new SagaError('SAGA_CHANGED', problem) }
  }

  /** The newest version that the instance can become. */
  #upgradeOf({ name, version }: Instance): AnySaga | undefined {
    return [...this.#sagas.values()]
      .filter((saga) => saga.name === name && saga.upgrades[version] !== undefined)
      .toSorted((a, b) => b.version - a.version)[0]
  }
}
