import { transaction, type Queryable, type Statement } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import { defineSaga, sagaMigrations, startSagas } from '../index.ts'
import { nextOf } from './decide.ts'
import { writeMoves } from './moves.sql.ts'
import { takeTurns } from './turns.sql.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()] })
const saga = defineSaga('many').timer('rest', '1h')
let sagaId = ''

beforeAll(async () => {
  for (let round = 0; round < 10; round += 1) {
    const starts = Array.from({ length: 2_000 }, () => ({ input: {} }))
    const [first] = await transaction(db.pool, (tx) => startSagas(tx, saga, starts))
    sagaId = first?.id ?? ''
  }
  await db.pool.query('analyze sagas.saga')
})

/** The plan of the statement that a query would run. */
async function planOf(run: (handle: Queryable) => Promise<unknown>): Promise<string> {
  const client = await db.pool.connect()
  let plan = ''
  try {
    await client.query('begin')
    await run({
      async query<Row>({ text, values }: Statement) {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
        plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        return { rows: [] as Row[] }
      },
    })
  } finally {
    await client.query('rollback')
    client.release()
  }
  return plan
}

test('turns are taken and moves are written by the index, however many sagas there are', async () => {
  const turn = { sagaId, turn: 1, again: false }
  const [instance] = await takeTurns(db.pool, [turn], 'prepared')
  const task =
    instance && nextOf(instance, { ...saga, running: new Set(), doubt: new Set(), realNow: 0 })
  if (task?.kind !== 'move') throw new Error('it should begin to wait')
  const plans = [
    await planOf((handle) => takeTurns(handle, [turn], 'prepared')),
    await planOf((handle) => writeMoves(handle, [task.move], 'prepared')),
  ]
  for (const plan of plans) {
    expect(plan).toContain('Index Scan using saga_pkey on saga')
    expect(plan).not.toMatch(/Seq Scan on saga/)
  }
})
