import { simulators } from '@posthorn/simulators'
import { Pool } from 'pg'
import { createBenchApp, serve } from '../../../bench/kit/serving.ts'
import { documents } from '../simulators/index.ts'

/* A child process of `whole.ts`: a document API. */
const app = await createBenchApp({ production: false, rateLimit: false, log: false })
await app.register(simulators, { pool: new Pool({ max: 1 }), simulators: [documents()] })
await serve(app, '/sim/documents')
