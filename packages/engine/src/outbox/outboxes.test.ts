import { outboxConformance, testDatabase } from '../testing/index.ts'
import { LOGGED, SHAPES, outboxTables } from '../testing/outboxes.ts'
import { uuid } from '../uuid.ts'

const db = await testDatabase({ sql: outboxTables })

for (const { outbox, sample } of [...SHAPES, LOGGED]) {
  // Messages of one key: the suite asks what becomes of those behind a dead one.
  const key = outbox.order && { [outbox.order.key]: uuid() }
  outboxConformance(outbox, {
    pool: () => db.pool,
    transports: ['topics'],
    sample: (n) => ({ ...sample(n), ...key }),
  })
}
