import { enqueue, transaction, type Outbox } from '@posthorn/engine'
import { callerOf, problem, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import type { Greeting } from './outbox.ts'
import { findGreeted } from './queries.ts'

const Name = Type.String({ minLength: 1, maxLength: 200 })

const greet = {
  summary: 'Greet a name: a row and its message in one transaction',
  tags: ['example'],
  body: Type.Object({ name: Name }),
  response: { 202: Type.Object({ id: Type.String() }) },
}

const greeted = {
  summary: 'How often a name was greeted, as the consumer counted',
  tags: ['example'],
  params: Type.Object({ name: Name }),
  response: { 200: Type.Object({ name: Type.String(), times: Type.Integer() }) },
}

export function greetingRoutes(app: App, pool: Pool, outbox: Outbox<Greeting>): void {
  app.post('/api/v1/greetings', { schema: greet }, async (request, reply) => {
    const row = { name: request.body.name, org_id: callerOf(request).org }
    const { id } = await transaction(pool, (tx) => enqueue(tx, outbox, row))
    return reply.code(202).send({ id })
  })

  app.get('/api/v1/greetings/:name', { schema: greeted }, async (request) => {
    const { name } = request.params
    const times = await findGreeted(pool, name)
    if (times === undefined) throw problem('NOT_FOUND', { detail: `no greeting of ${name} yet` })
    return { name, times }
  })
}
