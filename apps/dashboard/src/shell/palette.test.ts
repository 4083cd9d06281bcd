import { expect, test } from 'vitest'
import { operatorPages as pages } from '../pages/index.ts'
import { choicesOf } from './palette.tsx'

const found = [
  {
    ...{ kind: 'robot', id: 'r-1', title: 'Robot of 10.00 EUR', detail: 'at work' },
    to: '/robots?open=r-1',
  },
]

test('things come first, then pages and actions that fit, then a search of messages', () => {
  const choices = choicesOf({ text: 'dead', pages, found, searches: true })
  expect(choices[0]).toBe(found[0])
  expect(choices.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      ...['Journey of Robot of 10.00 EUR', 'Dead letters', 'Replay dead letters'],
      'Messages with “dead”',
    ]),
  )
  // An amount leads to no journey, the thing of that amount does.
  const journey = choicesOf({ text: '10.00', pages, found, searches: true })[1]
  expect(journey).toMatchObject({ kind: 'journey', to: '/journey?id=r-1' })
})

test('nothing leads to a page that the user may not read, nor to a search without the right', () => {
  const few = pages.filter(({ readers }) => readers === 'everyone')
  const choices = choicesOf({ text: 'ou', pages: few, found: [], searches: false })
  expect(choices.map(({ to }) => to)).toEqual(['/journey'])
  expect(choicesOf({ text: '', pages, found: [], searches: true }).length).toBeGreaterThan(5)
})
