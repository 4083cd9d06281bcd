import { expect, test } from 'vitest'
import type { Exchange, ExchangeResponse } from './exchange.ts'
import { outcomeOf } from './outcome.ts'

function messageOf(status: number, body: string, more: Partial<ExchangeResponse> = {}) {
  const response = { status, headers: {}, body, encoding: 'utf8', truncated: false, ...more }
  const exchange = { response, error: undefined } as unknown as Exchange
  const outcome = outcomeOf(exchange)
  return 'failure' in outcome ? outcome.failure.message : undefined
}

test.each([
  ['{"code":"DOWN_FOR_MAINTENANCE"}', 'Endpoint answered 503: DOWN_FOR_MAINTENANCE'],
  ['{"title":"Too many requests","status":503}', 'Endpoint answered 503: Too many requests'],
  ['{"error":{"secret":"x"},"code":null}', 'Endpoint answered 503'],
  ['{"code":"<script>alert(1)</script>"}', 'Endpoint answered 503'],
  [`{"code":"${'x'.repeat(81)}"}`, 'Endpoint answered 503'],
  ['<html>no</html>', 'Endpoint answered 503'],
  ['null', 'Endpoint answered 503'],
  ['', 'Endpoint answered 503'],
])('%s is said as %s', (body, message) => {
  expect(messageOf(503, body)).toBe(message)
})

test('what was cut off or is no text says nothing', () => {
  expect(messageOf(500, '{"code":"A"}', { truncated: true })).toBe('Endpoint answered 500')
  expect(messageOf(500, 'eyJ9', { encoding: 'base64' })).toBe('Endpoint answered 500')
})
