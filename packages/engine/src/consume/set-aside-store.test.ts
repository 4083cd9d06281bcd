import { expect, test } from 'vitest'
import { testDatabase } from '../testing/index.ts'
import { SetAsideStore } from './set-aside-store.ts'

const db = await testDatabase()
const consumer = { topic: 'events', group: 'readers' }

test('a run is suspect to others, and not to the process that lives through it', async () => {
  const own = new SetAsideStore(db.pool, consumer)
  const other = new SetAsideStore(db.pool, consumer)
  await own.noteRun(3, 250)
  expect(await other.open(3, 7)).toMatchObject({ suspectUpto: 250 })
  // It has lost the partition for a while: the database was away for longer than its lease.
  expect((await own.open(3, 7)).suspectUpto).toBeUndefined()
})
