import { expect, test } from 'vitest'
import { ApiProblem } from './problem.ts'

const responseWith = (status: number, headers = {}) => new Response(null, { status, headers })

test('says what the server said, and where to find it in the logs', () => {
  const body = {
    title: 'Invalid request',
    code: 'VALIDATION_FAILED',
    detail: 'Two fields are wrong.',
    errors: [{ field: 'limit', reason: 'must be <= 200' }, 'rubbish', null],
  }
  const problem = new ApiProblem(responseWith(400, { 'x-request-id': 'r-1' }), body)
  expect(problem).toMatchObject({
    message: 'Two fields are wrong.',
    status: 400,
    code: 'VALIDATION_FAILED',
    errors: [{ field: 'limit', reason: 'must be <= 200' }],
    requestId: 'r-1',
    isExpired: false,
    isPassing: false,
  })
})

test.each([undefined, null, '<html>Bad gateway</html>', 7, [], { code: 7, errors: 'x' }])(
  'makes sense of %j too, as a proxy may answer',
  (body) => {
    const problem = new ApiProblem(responseWith(502), body)
    expect(problem.message).toBe('The server answered 502')
    expect(problem).toMatchObject({ code: 'HTTP_502', errors: [], isPassing: true })
  },
)

test('401 asks for a login, 429 for patience', () => {
  expect(new ApiProblem(responseWith(401), {}).isExpired).toBe(true)
  expect(new ApiProblem(responseWith(429), {}).isPassing).toBe(true)
})
