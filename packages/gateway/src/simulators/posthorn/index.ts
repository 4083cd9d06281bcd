import type { FastifyInstance } from 'fastify'
import { defineSimulator, type Simulator } from '../simulator.ts'
import { ownOrigin } from '../webhook-sender.ts'
import { Disputes } from './disputes.ts'
import { Ledger } from './ledger.ts'
import { gatewayControls, gatewayRoutes } from './routes.ts'
import { Webhooks } from './webhooks.ts'

export interface GatewayOptions {
  /** Signs the webhooks: the server's `PAYMENTS_WEBHOOK_SECRET`. */
  readonly secret: string
  /** Where webhooks go; default `/api/v1/webhooks/payments` of the server it is mounted on. */
  readonly webhookUrl?: string
}

const WEBHOOK_PATH = '/api/v1/webhooks/payments'

/** A payment gateway with idempotent charges, a lookup by key, refunds and signed webhooks. */
export function gateway({ secret, webhookUrl }: GatewayOptions): Simulator {
  return defineSimulator({
    name: 'gateway',
    about: 'A payment gateway: charges once for each key, and tells the outcome by webhook.',
    open(world) {
      const ledger = new Ledger()
      let server: FastifyInstance['server'] | undefined
      const url = () => webhookUrl ?? `${ownOrigin(server)}${WEBHOOK_PATH}`
      const webhooks = new Webhooks(world, { secret, url })
      const disputes = new Disputes(ledger, webhooks)
      return {
        routes(app) {
          server = app.server
          gatewayRoutes(app, { world, ledger, webhooks })
        },
        control(app) {
          gatewayControls(app, { ledger, webhooks })
          disputes.controls(app)
        },
        failure: ({ code }) => ({
          body: {
            error: { code: code ?? 'gateway_error', message: 'The simulator was set to fail.' },
          },
        }),
        forget() {
          ledger.forget()
          disputes.forget()
          webhooks.sender.forget()
        },
      }
    },
  })
}
