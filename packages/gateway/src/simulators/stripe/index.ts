import type { FastifyInstance } from 'fastify'
import { receiverUrl, type SimulatedGatewayOptions } from '../receiver.ts'
import { defineSimulator, type Simulator, ownOrigin } from '@posthorn/simulators'
import { Books } from './books.ts'
import { Keys } from './answers.ts'
import { stripeControls, stripeRoutes } from './routes.ts'
import { SearchIndex } from './params.ts'
import { StripeWebhooks } from './webhooks.ts'

/** How long a bank takes for what it does not decide at once. */
const LATER_MS = 500

/** Stripe's API for payments: PaymentIntents, refunds, idempotency keys, signed webhooks. */
export function stripe({ webhooks: receiver }: SimulatedGatewayOptions = {}): Simulator {
  return defineSimulator({
    standIn: receiver === undefined,
    name: 'stripe',
    about: 'Stripe: PaymentIntents and refunds by its protocol, with its test payment methods.',
    open(world) {
      let server: FastifyInstance['server'] | undefined
      const url = () => receiverUrl(receiver, () => ownOrigin(server))
      const webhooks = new StripeWebhooks(world, { secret: receiver?.secret ?? '', url })
      const books = new Books({
        tell: (type, object) => webhooks.tell(type, object),
        later: (work) => world.later(LATER_MS, work),
      })
      const search = new SearchIndex(books)
      const keys = new Keys()
      const account = { books, keys, webhooks, search }
      return {
        routes(app) {
          server = app.server
          stripeRoutes(app, { world, ...account })
        },
        control: (app) => stripeControls(app, account),
        failure: ({ code, status }) => ({
          body: {
            error: {
              type: status === 429 ? 'invalid_request_error' : 'api_error',
              ...(code !== undefined && { code: String(code) }),
              ...(code === undefined && status === 429 && { code: 'rate_limit' }),
              message: 'The simulator was set to fail.',
            },
          },
        }),
        forget() {
          books.forget()
          keys.forget()
          webhooks.forget()
        },
      }
    },
  })
}
