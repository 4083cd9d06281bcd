import { createAnnouncementFeed } from '@posthorn/operate'
import { afterAll, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { runReconciling } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const { newUser } = await runReconciling(db)
const news = createAnnouncementFeed({ pool: db.pool })
afterAll(() => news.close())

test('a run and a decision are in the news of the organisation', async () => {
  const me = await newUser()
  const heard: { id: string; data: Record<string, unknown> }[] = []
  const end = new AbortController()
  const reading = (async () => {
    for await (const batch of news.subscribe({ tenant: me.org, signal: end.signal })) {
      for (const { topic, id, data } of batch) {
        if (topic === 'reconciliation.run') heard.push({ id, data: data as never })
      }
    }
  })()
  await me.pay('A', 100)
  const id = await me.upload([
    { name: 'A', amount: '1.00' },
    { name: 'B', amount: '1.00' },
  ])
  // The first announcement that arrives shows that the listener is connected.
  await expect
    .poll(async () => {
      await me.run(id)
      return heard.at(-1)?.data
    })
    .toMatchObject({ status: 'completed', matched: 1, unmatched: 1, total: 2, matchRate: 50 })
  await me.post(`/${id}/records/2/unmatch`, { reason: 'wrong' })
  await expect
    .poll(() => heard.at(-1))
    .toMatchObject({ id, data: { status: 'completed', matched: 0, matchRate: 0 } })
  end.abort()
  await reading
})
