import { createApp, createVerifier } from '@posthorn/http'
import { simulators, whatsapp } from '@posthorn/simulators'
import { Pool } from 'pg'

/** A child process of `messages.ts`: WhatsApp, until its parent lets go of it. */
export interface Outside {
  readonly url: string
}

const [webhookUrl = '', perSecond = '80'] = process.argv.slice(2)
const app = await createApp({
  title: 'bench',
  version: '1',
  production: false,
  verify: createVerifier({ secret: 'a secret of the benchmark, known to it alone' }),
  rateLimit: false,
})
const outside = whatsapp({
  accessToken: 'simulated-access-token',
  appSecret: 'simulated-app-secret',
  webhookUrl,
  behaviour: { perSecond: Number(perSecond) },
})
await app.register(simulators, { pool: new Pool({ max: 1 }), simulators: [outside] })
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ url: `${address}/sim/whatsapp` } satisfies Outside)
process.once('disconnect', () => process.exit())
