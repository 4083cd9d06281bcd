import { simulators } from '@posthorn/simulators'
import { Pool } from 'pg'
import { createBenchApp, serve } from '../../../bench/kit/serving.ts'
import { whatsapp } from '../simulators/index.ts'

/* A child process of `messages.bench.ts`: WhatsApp. */
const [webhookUrl = '', perSecond = '80'] = process.argv.slice(2)
const app = await createBenchApp({ production: false, rateLimit: false })
const outside = whatsapp({
  accessToken: 'simulated-access-token',
  appSecret: 'simulated-app-secret',
  webhookUrl,
  behaviour: { perSecond: Number(perSecond) },
})
await app.register(simulators, { pool: new Pool({ max: 1 }), simulators: [outside] })
await serve(app, '/sim/whatsapp')
