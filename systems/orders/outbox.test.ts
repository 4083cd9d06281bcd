import { printStatements } from '@posthorn/engine/testing'
import { sagaTurns } from '@posthorn/saga'
import { expect, test } from 'vitest'
import { orderEvents } from './outbox.ts'

test('the statements stand whole in statements/', async () => {
  const events = orderEvents('topics', 'orders')
  await expect(printStatements(events)).toMatchFileSnapshot('./statements/events.sql')
  await expect(printStatements(sagaTurns)).toMatchFileSnapshot('./statements/turns.sql')
})
