// A shop for demonstrations: each command is a process that can be killed. Used by record.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { outbox, posthorn } from '@posthorn/engine'
import { Pool } from 'pg'

const [command, argument = ''] = process.argv.slice(2)
const isSlow = process.argv.includes('--slow')
const say = (text: string) => process.stdout.write(`${text}\n`)

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const events = outbox<{ 'order.placed': { order: number } }>('shop.outbox', {
  claim: { lease: '3s' },
})
const placed = events.handle({
  'order.placed': async ({ payload, tx }) => {
    await tx.query('insert into shop.shipments values ($1)', [payload.order])
    say(`shipping order ${payload.order}`)
    if (isSlow) await sleep(60_000)
  },
})
const app = posthorn({ pool, handlers: placed })

if (command === 'setup') {
  await app.setUp()
  await pool.query('create table shop.orders (id int); create table shop.shipments (id int)')
}
if (command === 'order') {
  await app.transaction(async (tx) => {
    await tx.query('insert into shop.orders values ($1)', [Number(argument)])
    await events.enqueue(tx, 'order.placed', { order: Number(argument) })
    say('order and message are inserted, not committed')
    if (isSlow) await sleep(60_000)
  })
  say('committed')
}
if (command === 'relay') {
  await app.start()
  while ((await countSent()) === 0) await sleep(100)
  await app.stop()
}
if (command === 'count') {
  const { rows } = await pool.query<{ text: string }>(`
    select format('orders %s, messages %s, sent %s, shipments %s',
      (select count(*) from shop.orders), (select count(*) from shop.outbox),
      (select count(*) from shop.outbox where status = 'sent'),
      (select count(*) from shop.shipments)) as text`)
  say(rows[0]?.text ?? '')
}
await pool.end()

async function countSent(): Promise<number> {
  const [stats] = await app.stats()
  return stats?.counts['sent'] ?? 0
}
