import type { FastifyInstance } from 'fastify'
import { defineSimulator, type Simulator } from '../simulator.ts'
import { ownOrigin } from '../webhook-sender.ts'
import { Books } from './books.ts'
import { Keys } from './keys.ts'
import { stripeControls, stripeRoutes } from './routes.ts'
import { SearchIndex } from './search.ts'
import { StripeWebhooks } from './webhooks.ts'

export interface StripeOptions {
  /** Signs the webhooks: the server's `STRIPE_WEBHOOK_SECRET`. */
  readonly secret: string
  /** Where webhooks go; default `/api/v1/webhooks/stripe` of the server it is mounted on. */
  readonly webhookUrl?: string
}

const WEBHOOK_PATH = '/api/v1/webhooks/stripe'

/** How long a bank takes for what it does not decide at once. */
const LATER_MS = 500

/** Stripe's API for payments: PaymentIntents, refunds, idempotency keys, signed webhooks. */
export function stripe({ secret, webhookUrl }: StripeOptions): Simulator {
  return defineSimulator({
    name: 'stripe',
    about: 'Stripe: PaymentIntents and refunds by its protocol, with its test payment methods.',
    open(world) {
      let server: FastifyInstance['server'] | undefined
      const url = () => webhookUrl ?? `${ownOrigin(server)}${WEBHOOK_PATH}`
      const webhooks = new StripeWebhooks(world, { secret, url })
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
