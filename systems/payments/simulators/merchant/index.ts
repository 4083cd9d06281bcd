import { Type } from 'typebox'
import { defineSimulator, type Simulator } from '@posthorn/simulators'
import { simulatedReceivers } from './receivers.ts'
import { Secrets } from './secrets.ts'

const learn = {
  summary: 'Give the merchant the secrets to check signatures with',
  body: Type.Object({
    secrets: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 100,
    }),
  }),
  response: { 204: Type.Null() },
}

/**
 * A merchant that takes webhooks at `/sim/merchant/hooks` and below, and says of each whether its
 * signatures are right. The secrets it received stay known after `DELETE`: a merchant forgets what
 * happened, not its settings.
 */
export function merchant(): Simulator {
  return defineSimulator({
    name: 'merchant',
    about: 'A customer that takes webhooks and checks their signatures.',
    receivers: simulatedReceivers,
    open(world) {
      const secrets = new Secrets()
      return {
        control(app) {
          app.post<{ Body: { secrets: string[] } }>(
            '/secrets',
            { schema: learn },
            async (request, reply) => {
              secrets.add(request.body.secrets)
              return reply.code(204).send(null)
            },
          )
        },
        routes(app) {
          // With every answer, those of faults too: what was asked to fail was signed all the same.
          app.addHook('onSend', async (request) => {
            const verified = secrets.verify(request.headers, world.rawBody(request))
            world.note(request, { verified })
          })
          app.post('/hooks', async () => ({ received: true }))
          app.post('/hooks/*', async () => ({ received: true }))
        },
      }
    },
  })
}
