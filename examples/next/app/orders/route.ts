import { outbox, posthorn } from '@posthorn/engine'
import { Pool } from 'pg'

/** Next.js calls it for each request; Posthorn needs Node's own runtime, not the edge. */
export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const events = outbox<{ 'order.placed': { order: number } }>('shop.outbox')
const placed = events.handle({
  'order.placed': async ({ payload }) => console.log(`order ${payload.order} is placed`),
})

// At the first request: a build imports this module, too, and has no database.
let opened: ReturnType<typeof open> | undefined
async function open() {
  const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
  pool.on('error', () => undefined)
  return posthorn({ pool, handlers: placed }).setUp()
}

/** Stores a message and delivers what is due; a long-lived server calls `start()` once instead. */
export async function POST(request: Request): Promise<Response> {
  const { order } = (await request.json()) as { order: number }
  const app = await (opened ??= open())
  const { id } = await app.transaction((tx) => events.enqueue(tx, 'order.placed', { order }))
  await app.runOnce()
  const [stats] = await app.stats()
  return Response.json({ id, sent: stats?.counts['sent'] })
}
