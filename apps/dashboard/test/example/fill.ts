import { expect, vi } from 'vitest'
import { patient, type Dashboard, type World } from '../harness/index.ts'
import { insertAlert } from './queries.ts'

/** Something on every operators' page. */
export async function fillExample({ call, database }: Dashboard): Promise<World> {
  const { rows } = await database.pool.query<{ id: string }>(insertAlert)
  await call('/api/v1/greetings', { body: { name: 'Ada' } })
  await call('/api/v1/parcels', { body: { to: 'Ada' } })
  const { id } = (await call('/api/v1/parcels', { body: { to: 'nowhere' } })) as { id: string }
  await vi.waitFor(async () => {
    const message = await call(`/api/v1/outboxes/post.parcels/messages/${id}`)
    expect(message).toMatchObject({ state: 'dead' })
  }, patient)
  return { alert: rows[0]?.id ?? '', refused: id }
}
