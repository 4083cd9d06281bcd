import { DBOS } from '@dbos-inc/dbos-sdk'
import { packageVersion } from '../kit/harness.ts'
import { SAGA_STEPS, type SagaContestant } from './posthorn.ts'

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
