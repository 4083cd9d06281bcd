// A shop whose own users look after its outbox, at /admin/posthorn and behind the shop's own login.
import { outbox, posthorn } from '@posthorn/engine'
import { mountDashboard } from '@posthorn/server'
import { fastify, type FastifyInstance } from 'fastify'
import { Pool } from 'pg'

export async function openShop(connectionString: string): Promise<FastifyInstance> {
  const pool = new Pool({ connectionString })
  pool.on('error', () => undefined)
  const events = outbox<{ 'order.placed': { order: number } }>('shop.outbox', { order: 'key' })
  const placed = events.handle({ 'order.placed': async () => undefined })
  const app = posthorn({ pool, handlers: placed })
  await app.setUp()
  await app.start()

  const server = fastify()
  server.post('/orders', async () => {
    const order = Date.now()
    const draft = { key: String(order) }
    await app.transaction((tx) => events.enqueue(tx, 'order.placed', { order }, draft))
    return { order }
  })

  const dashboard = await mountDashboard({
    pool,
    outboxes: [events],
    path: '/admin/posthorn',
    // The shop knows its users by a cookie; here its session store would be asked.
    authenticate({ headers }) {
      const name = /\bshop-user=(\w+)/.exec(headers.cookie ?? '')?.[1]
      return name === undefined ? undefined : { name }
    },
  })
  await server.register(dashboard.plugin, { prefix: '/admin/posthorn' })
  server.addHook('onClose', async () => {
    await app.stop()
    await pool.end()
  })
  return server
}
