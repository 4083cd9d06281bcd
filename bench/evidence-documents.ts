import { createApp, createVerifier } from '@posthorn/http'
import { documents, simulators } from '@posthorn/simulators'
import { Pool } from 'pg'

/** A child process of `evidence-whole.ts`: a document API, until its parent lets go of it. */
export interface DocumentsServing {
  readonly url: string
}

const app = await createApp({
  ...{ title: 'bench', version: '1', production: false, rateLimit: false, log: false },
  verify: createVerifier({ secret: 'a secret of the benchmark, known to it alone' }),
})
await app.register(simulators, { pool: new Pool({ max: 1 }), simulators: [documents()] })
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ url: `${address}/sim/documents` } satisfies DocumentsServing)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuUs: user + system })
})
process.once('disconnect', () => process.exit())
