import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRelay, enqueue } from '@posthorn/engine'
import { defineSaga, sagas, startSaga } from '@posthorn/saga'
import { createGuard, parseCidrs, webhookTransport } from '@posthorn/transports/webhook'
import { Pool } from 'pg'
import { commitBy, type Handle, type LatencyContestant } from '../contestant.ts'
import { packageVersion } from '../../kit/harness.ts'
import { benchOutbox, createOutbox } from '../../kit/outbox.ts'
import { sampleOf, samplePayload, SENDERS } from '../../kit/payload.ts'

/** Endpoints that those webhooks share which do not hang. */
const ENDPOINTS = 20

/** A saga of one step that takes its time. */
export const posthornSlowSagas: LatencyContestant = {
  name: 'posthorn sagas',
  version: packageVersion('@posthorn/saga'),
  settings: 'batches of 100, 4 in hand, one step',
  async open({ url }, handle) {
    const pool = new Pool({ connectionString: url, max: 12 })
    const saga = defineSaga<{ sample: number }>('slow').step('work', {
      action: async ({ sample }) => {
        await handle(sample)
        return {}
      },
    })
    const senders = new Pool({ connectionString: url, max: SENDERS })
    const flow = await sagas(pool, [saga], { maintenance: 'off' }).setUp()
    await flow.start()
    return {
      send: (sample) => commitBy(senders, (tx) => startSaga(tx, saga, { input: { sample } })),
      async close() {
        await flow.stop()
        await Promise.all([pool.end(), senders.end()])
      },
    }
  },
}

/** Webhooks by HTTP, `atOnce` of them at once; those that hang go to endpoints of their own. */
export function posthornSlowWebhooks(atOnce: number): LatencyContestant {
  const form = { claims: 'by row', record: 'none', inHand: 2, batch: atOnce / 2 } as const
  return {
    name: 'posthorn webhooks',
    version: packageVersion('@posthorn/transports'),
    settings: `batches of ${form.batch}, ${form.inHand} in hand, ${ENDPOINTS} endpoints`,
    async open({ url }, handle) {
      const pool = new Pool({ connectionString: url, max: 8 })
      const senders = new Pool({ connectionString: url, max: SENDERS })
      const receiver = await openReceiver(handle)
      const outbox = benchOutbox(form, ({ key }) => ({ transport: 'webhooks', topic: key }))
      await createOutbox(pool, outbox)
      const webhooks = webhookTransport({
        guard: createGuard({ opened: parseCidrs('127.0.0.0/8') }),
        resolve: async (batch) => batch.map(() => ({ url: receiver.url, secrets: [] })),
        perEndpoint: atOnce,
      })
      const relay = createRelay({ pool, outboxes: [outbox], transports: { webhooks } })
      await relay.start()
      return {
        send: (sample, how) => {
          const key = how?.lone === true ? `lone-${sample}` : `endpoint-${sample % ENDPOINTS}`
          const row = { key, payload: samplePayload(sample) }
          return commitBy(senders, (tx) => enqueue(tx, outbox, row))
        },
        async close() {
          await relay.stop()
          await webhooks.close()
          await receiver.close()
          await Promise.all([pool.end(), senders.end()])
        },
      }
    },
  }
}

async function openReceiver(handle: Handle) {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const payload: unknown = JSON.parse(Buffer.concat(parts).toString())
      void Promise.resolve(handle(sampleOf(payload))).then(() => response.end())
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise((closed) => server.close(closed)),
  }
}
