import { expect, test } from 'vitest'
import { pages } from '../pages/index.ts'
import { choicesOf } from './palette-choices.ts'

const found = [
  {
    ...{ kind: 'payment', id: 'p-1', title: 'Payment of 10.00 EUR', detail: 'succeeded' },
    to: '/payments?open=p-1',
  },
]

test('things come first, then pages and actions that fit, then a search of messages', () => {
  const choices = choicesOf({ text: 'pay', pages, found, searches: true })
  expect(choices[0]).toBe(found[0])
  expect(choices.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      ...['Journey of Payment of 10.00 EUR', 'Payments', 'Take a payment', 'Messages with “pay”'],
    ]),
  )
  // An amount leads to no journey, the payment of that amount does.
  const journey = choicesOf({ text: '10.00', pages, found, searches: true })[1]
  expect(journey).toMatchObject({ kind: 'journey', to: '/journey?id=p-1' })
})

test('nothing leads to a page that the user may not read, nor to a search without the right', () => {
  const few = pages.filter(({ readers }) => readers === 'everyone')
  const choices = choicesOf({ text: 'out', pages: few, found: [], searches: false })
  expect(choices.map(({ to }) => to)).toEqual(['/outbound'])
  expect(choicesOf({ text: '', pages, found: [], searches: true }).length).toBeGreaterThan(5)
})
