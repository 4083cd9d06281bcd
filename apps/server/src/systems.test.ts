import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { loadSystems } from './systems.ts'
import { greetings } from './testing/greetings/index.ts'
import { testServer } from './testing/test-server.ts'
import { welcome } from './welcome.ts'

test('a server has the systems that are shipped, and leaves the schema of another alone', async () => {
  const database = await testDatabase()
  const older = await testServer(database, { systems: [greetings] })
  await older.call('/api/v1/greetings', { body: { name: 'ada' } })
  await older.close()

  const systems = await loadSystems({})
  expect(systems.map(({ name }) => name)).not.toContain(greetings.name)
  const server = await testServer(database, { systems })
  expect((await server.call('/api/v1/greetings/ada')).status).toBe(404)
  const { rows } = await database.pool.query('select name from example.greeting')
  expect(rows).toEqual([{ name: 'ada' }])

  // What a new server says to try can be done.
  const configuration = { roles: new Set(['api'] as const), production: false }
  const said = welcome({ configuration, server, token: undefined })
  const order = /-d '(\{.*\})'/.exec(said)?.[1] ?? ''
  const placed = await server.call('/api/v1/orders', { body: JSON.parse(order) as unknown })
  expect(placed.status).toBe(202)
  const { body } = await server.call('/api/v1/orders')
  expect(body['items']).toMatchObject([{ id: placed.body['id'] }])
})
