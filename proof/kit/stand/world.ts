import { gateway } from '@posthorn/gateway/simulators'
import { createApp, createVerifier } from '@posthorn/http'
import { mail, simulators } from '@posthorn/simulators'
import type { Pool } from 'pg'
import { systemProofs, type Surroundings } from './system-proof.ts'

/** The outside world of the processes under test, which outlives them all. */
export interface World {
  readonly url: string
  read<Body>(path: string): Promise<Body>
  control(method: 'POST' | 'PUT', path: string, body: object): Promise<void>
  close(): Promise<void>
  /** The variables that lead the systems to it, with the settings that they have in proofs. */
  env(options: Pick<Surroundings, 'broker' | 'isImpatient'>): Readonly<Record<string, string>>
}

/** The gateway's books. */
export interface GatewayBooks {
  readonly charges: readonly {
    readonly id: string
    readonly reference: string
    readonly status: string
    readonly capturedAmount: number
  }[]
  readonly refunds: readonly { readonly chargeId: string; readonly amount: number }[]
}

const GATEWAY_SECRET = 'a webhook secret of the proofs'

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
      gateway({ webhooks: { to: `${below}/payments`, secret: GATEWAY_SECRET } }),
      mail(),
      ...systemProofs.flatMap((proof) => proof.simulators?.(below) ?? []),
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
    env: ({ broker, isImpatient }) => ({
      ...{ GATEWAY_URL: `${url}/sim/gateway`, GATEWAY_API_KEY: 'proof', SMTP_URL: smtp },
      GATEWAY_TIMEOUT_MS: isImpatient ? '1500' : '5000',
      ...Object.assign(
        {},
        ...systemProofs.map((proof) =>
          proof.env({
            ...{ simulators: `${url}/sim`, smtp, broker, isImpatient },
            gatewaySecret: GATEWAY_SECRET,
          }),
        ),
      ),
    }),
    read: async <Body>(path: string) => JSON.parse(await answer(path)) as Body,
    async control(method, path, body) {
      const headers = { 'content-type': 'application/json' }
      await answer(path, { method, headers, body: JSON.stringify(body) })
    },
    close: () => app.close(),
  }
}

/** What the services call their addresses and keys, as the server reads them. */
const SERVICES = {
  KAFKA_BROKERS: 'KAFKA_BROKERS',
  RABBITMQ_URL: 'RABBITMQ_URL',
  S3_ENDPOINT: 'S3_ENDPOINT',
  S3_BUCKET: 'S3_BUCKET',
  S3_REGION: 'AWS_REGION',
  S3_ACCESS_KEY_ID: 'AWS_ACCESS_KEY_ID',
  S3_SECRET_ACCESS_KEY: 'AWS_SECRET_ACCESS_KEY',
} as const

export function serviceEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const found = Object.entries(SERVICES).map(([ours, theirs]) => [ours, env[theirs]] as const)
  return Object.fromEntries(
    found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
