import { finished } from 'node:stream/promises'
import { transaction } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CopyBuffer, NULL_CELL, copyCell, copyInto } from './copy.ts'

const db = await testDatabase({ sql: 'create table copied (n int, text text)' })

async function copyTexts(texts: readonly (string | null)[]): Promise<(string | null)[]> {
  const buffer = new CopyBuffer()
  for (const [n, text] of texts.entries()) {
    buffer.add(`${n}\t${text === null ? NULL_CELL : copyCell(text)}\n`)
  }
  return transaction(db.pool, async (tx) => {
    await tx.query({ text: 'truncate copied', values: [] })
    const into = copyInto(tx, 'copy copied (n, text) from stdin')
    into.end(buffer.bytes)
    await finished(into)
    const { rows } = await tx.query<{ text: string | null }>({
      ...{ text: 'select text from copied order by n', values: [] },
    })
    return rows.map(({ text }) => text)
  })
}

test('any texts and nulls come back as they were', async () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('\\', 'N', '\t', '\n', '\r', '.', 'a', 'é', '😀', ' ') }),
    fc.constantFrom('\\N', '\\.', ''),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (texts) => {
      expect(await copyTexts(texts)).toEqual(texts)
    }),
    { numRuns: 50 },
  )
})

test('more than fits at first is all there, and the memory is used again', async () => {
  const long = Array.from({ length: 300 }, (_, n) => '€'.repeat(n))
  expect(await copyTexts(long)).toEqual(long)
  const buffer = new CopyBuffer()
  buffer.add('first')
  buffer.clear()
  buffer.add('second')
  expect(buffer.bytes.toString()).toBe('second')
})

test('what the table refuses fails the transaction', async () => {
  const wrong = transaction(db.pool, async (tx) => {
    const into = copyInto(tx, 'copy copied (n, text) from stdin')
    into.end('no number\tx\n')
    await finished(into)
  })
  await expect(wrong).rejects.toThrow('invalid input syntax')
  expect((await db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})
