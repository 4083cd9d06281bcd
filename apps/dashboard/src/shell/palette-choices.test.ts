import { expect, test } from 'vitest'
import { pages } from '../pages/index.ts'
import { choicesOf } from './palette-choices.ts'

const found = [
  { kind: 'payment', title: 'Payment of 10.00 EUR', detail: 'succeeded', to: '/payments?open=1' },
]

test('things come first, then pages and actions that fit, then a search of messages', () => {
  const choices = choicesOf({ text: 'pay', pages, found, searches: true })
  expect(choices[0]).toBe(found[0])
  expect(choices.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      ...['Journey of “pay”', 'Payments', 'Take a payment', 'Messages with “pay”'],
    ]),
  )
})

test('nothing leads to a page that the user may not read, nor to a search without the right', () => {
  const few = pages.filter(({ readers }) => readers === 'everyone')
  const choices = choicesOf({ text: 'out', pages: few, found: [], searches: false })
  expect(choices.map(({ to }) => to)).toEqual(['/outbound'])
  expect(choicesOf({ text: '', pages, found: [], searches: true }).length).toBeGreaterThan(5)
})
