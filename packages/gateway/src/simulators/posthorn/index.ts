import type { FastifyInstance } from 'fastify'
import { receiverUrl, type SimulatedGatewayOptions } from '../receiver.ts'
import { defineSimulator, type Simulator, ownOrigin } from '@posthorn/simulators'
import { Disputes } from './disputes.ts'
import { Ledger } from './ledger.ts'
import { gatewayControls, gatewayRoutes } from './routes.ts'
import { Webhooks } from './webhooks.ts'

/** A payment gateway with idempotent charges, a lookup by key, refunds and signed webhooks. */
export function gateway({ webhooks: receiver }: SimulatedGatewayOptions = {}): Simulator {
  return defineSimulator({
    standIn: receiver === undefined,
    name: 'gateway',
    about: 'A payment gateway: charges once for each key, and tells the outcome by webhook.',
    open(world) {
      const ledger = new Ledger()
      let server: FastifyInstance['server'] | undefined
      const url = () => receiverUrl(receiver, () => ownOrigin(server))
      const webhooks = new Webhooks(world, { secret: receiver?.secret ?? '', url })
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
