import { createRelay, engineMigrations, migrate, transaction } from '@posthorn/engine'
import {
  sagas,
  sagaTurns,
  defineSaga,
  sagaEvents,
  sagaMigrations,
  startSaga,
  startSagas,
} from '@posthorn/saga'
import type { Pool } from 'pg'
import { packageVersion } from '../kit/harness.ts'
import { chunks } from '../kit/payload.ts'
import type { Named } from '../queues/contestant.ts'
import { DBOS } from '@dbos-inc/dbos-sdk'

/** The four steps of an order. They only compute: what is measured is what durability costs. */
export const SAGA_STEPS = {
  place: (order: number) => ({ order }),
  reserve: (order: number) => ({ reservation: `reservation ${order}` }),
  pay: (order: number) => ({ receipt: `receipt ${order}` }),
  ship: (order: number) => ({ parcel: `parcel ${order}` }),
} as const

/** A contestant of `sagas`. */
export interface SagaContestant extends Named {
  /** Starts in an empty database, by no other connections than the pool's. */
  open(database: { readonly url: string; readonly pool: Pool }): Promise<SagaEngine>
}

export interface SagaEngine {
  /** Begins so many at once and comes back when all have ended; each has stored its four steps. */
  run(count: number): Promise<void>
  close(): Promise<void>
}

export interface SagaForm {
  readonly connections: number
  /** How sagas begin: each in a transaction of its own, or many in one statement. */
  readonly starts: 'one by one' | 'in bulk'
  /** Whether each step also sends an event through the outbox. */
  readonly sends: 'nothing' | 'events'
  /** Whether the two steps in the middle follow each other. */
  readonly steps: 'straight' | 'side by side'
}

const CHUNK = 1_000

export function posthornSagas({ connections, starts, sends, steps }: SagaForm): SagaContestant {
  const step = (name: keyof typeof SAGA_STEPS) => ({
    action: async ({ order }: { order: number }) => ({
      data: SAGA_STEPS[name](order),
      events: sends === 'events' ? [{ type: `order.${name}`, payload: { order } }] : [],
    }),
  })
  const placed = defineSaga<{ order: number }>('place-order').step('place', step('place'))
  const middle =
    steps === 'straight'
      ? placed.step('reserve', step('reserve')).step('pay', step('pay'))
      : placed.parallel({
          stock: (branch) => branch.step('reserve', step('reserve')),
          money: (branch) => branch.step('pay', step('pay')),
        })
  const saga = middle.step('ship', step('ship'))
  const forms = [
    `begun ${starts}`,
    ...(sends === 'events' ? ['with events'] : []),
    ...(steps === 'side by side' ? ['two steps side by side'] : []),
  ]

  return {
    name: `posthorn, ${forms.join(', ')}`,
    version: packageVersion('@posthorn/saga'),
    settings: `${connections} connections, ${starts}`,
    async open({ pool }) {
      await migrate(pool, [await engineMigrations(), await sagaMigrations()])
      const events = sagaEvents({ transport: 'none' })
      const { transports } = sagas(pool, [saga], { events })
      const outboxes = [sagaTurns]
      const orchestrator = createRelay({ pool, outboxes, transports, maintenance: 'off' })
      await orchestrator.start()
      let ended = 0
      return {
        async run(count) {
          if (starts === 'in bulk') {
            for (const orders of chunks(count, CHUNK)) {
              const inputs = orders.map((order) => ({ input: { order } }))
              await transaction(pool, (tx) => startSagas(tx, saga, inputs))
            }
          } else {
            const begun = Array.from({ length: count }, (_, order) =>
              transaction(pool, (tx) => startSaga(tx, saga, { input: { order } })),
            )
            await Promise.all(begun)
          }
          ended += count
          await untilCompleted(pool, ended)
        },
        close: () => orchestrator.stop(),
      }
    },
  }
}

async function untilCompleted(pool: Pool, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ ended: number }>(
      `select count(*)::integer as ended from sagas.saga where status = 'COMPLETED'`,
    )
    if ((rows[0]?.ended ?? 0) >= count) return
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
}

/** The fastest way it has: workflows run in the process that starts them, with no queue between. */
const place = DBOS.registerWorkflow(
  async (order: number) => {
    const steps = Object.entries(SAGA_STEPS)
    const receipts: object[] = []
    for (const [name, step] of steps) {
      receipts.push(await DBOS.runStep(async () => step(order), { name }))
    }
    return receipts.length
  },
  { name: 'place-order' },
)

export function dbosTransact(connections: number): SagaContestant {
  return {
    name: 'DBOS Transact',
    version: packageVersion('@dbos-inc/dbos-sdk'),
    settings: `${connections} connections, no queue`,
    async open({ pool }) {
      DBOS.setConfig({ name: 'bench', systemDatabasePool: pool, logLevel: 'error' })
      await DBOS.launch()
      return {
        async run(count) {
          const starting = Array.from({ length: count }, (_, order) =>
            DBOS.startWorkflow(place)(order),
          )
          const handles = await Promise.all(starting)
          await Promise.all(handles.map((handle) => handle.getResult()))
        },
        close: () => DBOS.shutdown(),
      }
    },
  }
}
