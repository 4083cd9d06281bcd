import { expect, test } from 'vitest'
import { shareOut } from './shards.ts'

const paths = {
  '/api/v1/payments': { get: {}, post: {} },
  '/api/v1/payments/{id}': { get: {} },
  '/api/v1/payments/{id}/refunds': { post: {} },
  '/api/v1/orders': { get: {}, post: {} },
  '/api/v1/stream': { get: {} },
  '/healthz': { get: {} },
}

test('operations are shared out once each, what belongs together to one', () => {
  const shards = shareOut({ paths }, 2)
  expect(shards.map(({ operations }) => operations)).toEqual([4, 3])
  const [payments, rest] = shards.map(({ pattern }) => new RegExp(pattern))
  const taken = (pattern: RegExp | undefined) =>
    Object.keys(paths).filter((path) => pattern?.test(path))
  expect(taken(payments)).toEqual(Object.keys(paths).filter((path) => path.includes('payments')))
  expect(taken(rest)).toEqual(['/api/v1/orders', '/healthz'])
})

test('there are no more parts than there is something to share out', () => {
  expect(shareOut({ paths: { '/a': { get: {} } } }, 3)).toHaveLength(1)
})
