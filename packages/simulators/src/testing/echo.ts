import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultOrder } from '../fault.ts'
import { defineSimulator, type Simulator } from '../simulator.ts'

/** A simulator as small as they come: remembers what was said to it. */
export function echo(name = 'echo'): Simulator {
  return defineSimulator({
    name,
    about: 'Answers what it was sent.',
    open(world) {
      const said: unknown[] = []
      return {
        routes(app) {
          app.post('/say', { schema: { summary: 'Say something' } }, async (request, reply) => {
            const signature = createHmac('sha256', 'key').update(world.rawBody(request))
            const isVerified = request.headers['x-signature'] === signature.digest('hex')
            world.note(request, { verified: isVerified })
            said.push(request.body)
            return reply.code(201).send({ said: request.body ?? null })
          })
          app.post('/work', async (request) => {
            await sleep(100)
            said.push(request.body)
            return { done: true }
          })
          app.post('/later', async (request) => {
            world.later(50, () => void said.push(request.body))
            return { accepted: true }
          })
          app.post<{ Body: FaultOrder }>('/magic', async (request) => {
            said.push(request.body)
            world.fail(request, request.body)
            return { fine: true }
          })
          app.post('/later-never', async () => {
            world.later(10, () => Promise.reject(new Error('on purpose')))
            return { accepted: true }
          })
          app.post(
            '/strict',
            { schema: { body: { type: 'object', required: ['a'] } }, bodyLimit: 1_000 },
            async () => ({ fine: true }),
          )
        },
        control(app) {
          app.get('/said', async () => ({ said }))
        },
        failure: ({ code }) => ({
          body: { error: { code: code ?? 'ECHO_BROKEN' } },
          headers: { 'x-echo': 'broken' },
        }),
        forget() {
          said.length = 0
        },
      }
    },
  })
}
