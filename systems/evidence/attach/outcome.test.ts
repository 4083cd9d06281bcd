import { expect, test } from 'vitest'
import { answerOf, outcomeOf } from './outcome.ts'

const ids = { document_mgmt_ids: ['d-1', 'd-2'] }

test.each([
  [200, ids, { kind: 'attached', ids: ['d-1', 'd-2'] }],
  [201, ids, { kind: 'attached' }],
  [200, { document_mgmt_ids: ['d-1'] }, { kind: 'failed' }],
  [200, { document_mgmt_ids: ['d-1', ''] }, { kind: 'failed' }],
  [200, undefined, { kind: 'failed' }],
  [200, { document_mgmt_ids: [1, 2] }, { kind: 'attached', ids: ['1', '2'] }],
  [302, undefined, { kind: 'failed' }],
  [401, undefined, { kind: 'unauthorised', status: 401 }],
  [403, { code: 'NO' }, { kind: 'unauthorised', status: 403 }],
  [400, { code: 'BAD_CASE', message: 'No such case' }, { kind: 'refused', code: 'BAD_CASE' }],
  [404, undefined, { kind: 'refused', code: 'API_404' }],
  [413, { code: 7 }, { kind: 'refused', code: 'API_413' }],
  [422, { error: { code: 'nested' } }, { kind: 'refused', code: 'nested' }],
  [422, { code: 'INVALID_ROW' }, { kind: 'refused', code: 'API_INVALID_ROW' }],
  [408, undefined, { kind: 'failed' }],
  [409, { code: 'BUSY' }, { kind: 'failed' }],
  [425, undefined, { kind: 'failed' }],
  [429, undefined, { kind: 'failed' }],
  [500, { message: 'oops' }, { kind: 'failed', message: 'The document API answered 500: oops' }],
  [503, undefined, { kind: 'failed' }],
])('%i %o', (status, body, answer) => {
  expect(answerOf(status, body, 2)).toMatchObject(answer)
})

test('a failure is the end at the last attempt', () => {
  const failed = { kind: 'failed', message: 'no' } as const
  const codes = [0, 1, 2].map((retryCount) => outcomeOf(failed, retryCount))
  expect(codes.map((outcome) => 'failure' in outcome && outcome.failure.code)).toEqual([
    'API_ERROR',
    'API_ERROR',
    'MAX_RETRIES_EXCEEDED',
  ])
  expect(codes.every(({ by }) => by === 'EVIDENCE_WORKER')).toBe(true)
})
