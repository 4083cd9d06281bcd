import { describe, expect, test } from 'vitest'
import { Journal } from './journal.ts'

interface Note {
  readonly id: number
  body: string
}

function journalOf(entries: number, bytes = 1_000) {
  const journal = new Journal<Note>({ entries, bytes })
  const add = (body: string) => {
    const note = journal.add((id) => ({ id, body }))
    journal.weigh(note, { bytes: body.length, drop: () => void (note.body = '-') })
    return note
  }
  const bodies = () => [...journal.newest()].map((note) => note.body)
  return { journal, add, bodies }
}

describe('a journal', () => {
  test('lists the newest first and overwrites the oldest', () => {
    const { journal, add, bodies } = journalOf(3)
    expect(bodies()).toEqual([])
    for (const body of ['a', 'b', 'c', 'd', 'e']) add(body)
    expect(bodies()).toEqual(['e', 'd', 'c'])
    expect(journal.size).toBe(3)
  })

  test('goes on below an id', () => {
    const { journal, add } = journalOf(10)
    for (const body of ['a', 'b', 'c', 'd']) add(body)
    const [first] = journal.newest()
    expect([...journal.newest(first!.id)].map(({ body }) => body)).toEqual(['c', 'b', 'a'])
    expect([...journal.newest(1)]).toEqual([])
    expect([...journal.newest(99)]).toHaveLength(4)
  })

  test('lets the oldest bodies go when all of them are too much', () => {
    const { add, bodies } = journalOf(10, 10)
    for (const body of ['aaaa', 'bbbb', 'cc']) add(body)
    expect(bodies()).toEqual(['cc', 'bbbb', 'aaaa'])
    add('d')
    expect(bodies()).toEqual(['d', 'cc', 'bbbb', '-'])
    add('eeeeeeeeeeeeeee')
    expect(bodies()).toEqual(['-', '-', '-', '-', '-'])
  })

  test('does not count what was overwritten or forgotten', () => {
    const { journal, add, bodies } = journalOf(2, 10)
    for (let i = 0; i < 50; i += 1) add('12345')
    expect(bodies()).toEqual(['12345', '12345'])
    const late = journal.add((id) => ({ id, body: 'late' }))
    journal.forget()
    expect(bodies()).toEqual([])
    journal.weigh(late, { bytes: 10, drop: () => void (late.body = '-') })
    expect(late.body).toBe('-')
    add('1234567890')
    expect(bodies()).toEqual(['1234567890'])
  })

  test('goes on counting after it forgot', () => {
    const { journal, add } = journalOf(3)
    const { id } = add('a')
    journal.forget()
    expect(add('b').id).toBe(id + 1)
    expect([...journal.newest()]).toHaveLength(1)
  })
})
