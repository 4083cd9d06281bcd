import { expect, test } from 'vitest'
import { mergePages } from './merge-pages.ts'

interface Row {
  readonly outbox: string
  readonly id: number
  readonly createdAt: string | null
}

/** Outboxes of rows made at these seconds, newest first, in pages of two. */
function world(seconds: Readonly<Record<string, readonly number[]>>) {
  const asked: string[] = []
  const read = async (outbox: string, cursor: string | undefined) => {
    asked.push(`${outbox} ${cursor ?? '0'}`)
    const start = Number(cursor ?? 0)
    const items = (seconds[outbox] ?? []).slice(start, start + 2).map((second): Row => ({
      outbox,
      id: second,
      createdAt: new Date(second * 1_000).toISOString(),
    }))
    const isEnd = start + 2 >= (seconds[outbox] ?? []).length
    return { items, nextCursor: isEnd ? null : String(start + 2) }
  }
  const readAll = async () => {
    const ids: number[] = []
    let cursor: string | undefined
    for (let page = 0; page < 50; page += 1) {
      const { items, nextCursor } = await mergePages<Row>({
        outboxes: Object.keys(seconds),
        cursor,
        read,
      })
      ids.push(...items.map(({ id }) => id))
      if (nextCursor === null) return ids
      cursor = nextCursor
    }
    throw new Error('it does not end')
  }
  return { asked, readAll }
}

test('rows of several outboxes come newest first, each once, for any paging', async () => {
  const busy = [99, 98, 97, 96, 95, 60, 10]
  const calm = [94, 50, 49, 2]
  const { asked, readAll } = world({ busy, calm, empty: [] })
  expect(await readAll()).toEqual([...busy, ...calm].toSorted((a, b) => b - a))
  expect(new Set(asked).size).toBe(asked.length)
})

test('many rows of one moment are all shown', async () => {
  const { readAll } = world({ one: [5, 5, 5, 5, 5], two: [5, 5, 5] })
  expect(await readAll()).toHaveLength(8)
})

test('an outbox without times comes last', async () => {
  const read = async (outbox: string) => ({
    items: [{ outbox, createdAt: outbox === 'dated' ? '2026-01-01T00:00:00Z' : null }],
    nextCursor: null,
  })
  const { items } = await mergePages({ outboxes: ['undated', 'dated'], cursor: undefined, read })
  expect(items.map(({ outbox }) => outbox)).toEqual(['dated', 'undated'])
})
