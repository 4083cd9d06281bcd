import { createApp, createVerifier } from '@posthorn/http'
import { documents, gateway, mail, merchant, simulators, whatsapp } from '@posthorn/simulators'
import type { Pool } from 'pg'

/** The outside world of the processes under test, which outlives them all. */
export interface World {
  readonly url: string
  /** The variables that lead the systems to it. */
  readonly env: Readonly<Record<string, string>>
  read<Body>(path: string): Promise<Body>
  control(method: 'POST' | 'PUT', path: string, body: object): Promise<void>
  close(): Promise<void>
}

const WEBHOOK_SECRET = 'a webhook secret of the chaos run'
const ACCESS_TOKEN = 'an access token of the chaos run'
const APP_SECRET = 'an app secret of the chaos run'

/** `pool` is for the business clock; webhooks go to the server at `ingress`. */
export async function openWorld(pool: Pool, ingress: string): Promise<World> {
  const app = await createApp({
    title: 'world',
    version: '1',
    log: false,
    production: false,
    rateLimit: false,
    verify: createVerifier({ secret: 'a secret of at least thirty-two bytes' }),
  })
  const below = `${ingress}/api/v1/webhooks`
  await app.register(simulators, {
    pool,
    simulators: [
      gateway({ secret: WEBHOOK_SECRET, webhookUrl: `${below}/payments` }),
      whatsapp({
        ...{ accessToken: ACCESS_TOKEN, appSecret: APP_SECRET },
        webhookUrl: `${below}/whatsapp/inbound`,
      }),
      merchant(),
      documents(),
      mail(),
    ],
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const smtp = app.simulatorAddresses['mail'] ?? ''
  const answer = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}/sim${path}`, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return text
  }
  return {
    url,
    env: {
      ...{ GATEWAY_URL: `${url}/sim/gateway`, GATEWAY_API_KEY: 'chaos' },
      ...{ PAYMENTS_WEBHOOK_SECRET: WEBHOOK_SECRET, DOCUMENTS_URL: `${url}/sim/documents` },
      ...{ WHATSAPP_API_URL: `${url}/sim/whatsapp`, WHATSAPP_ACCESS_TOKEN: ACCESS_TOKEN },
      ...{ WHATSAPP_APP_SECRET: APP_SECRET, SMTP_URL: smtp, OUTBOUND_EMAIL_URL: smtp },
    },
    read: async <Body>(path: string) => JSON.parse(await answer(path)) as Body,
    async control(method, path, body) {
      const headers = { 'content-type': 'application/json' }
      await answer(path, { method, headers, body: JSON.stringify(body) })
    },
    close: () => app.close(),
  }
}
