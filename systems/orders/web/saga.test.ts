import { expect, test } from 'vitest'
import { placesOf } from './saga.tsx'

const alone = { branch: null }
const of = (fork: number, name: string) => ({ branch: { fork, name } })

test('a straight saga has no places', () => {
  expect(placesOf([alone, alone])).toEqual([])
})

test('branches stand below each other, and what follows comes after the longest', () => {
  const steps = [
    alone,
    of(1, 'air'),
    of(1, 'ground'),
    of(1, 'ground'),
    of(2, 'a'),
    of(2, 'b'),
    alone,
  ]
  expect(placesOf(steps)).toEqual([
    { column: 1, row: 1, rows: 2 },
    { column: 2, row: 1, rows: 1 },
    { column: 2, row: 2, rows: 1 },
    { column: 3, row: 2, rows: 1 },
    { column: 4, row: 1, rows: 1 },
    { column: 4, row: 2, rows: 1 },
    { column: 5, row: 1, rows: 2 },
  ])
})
