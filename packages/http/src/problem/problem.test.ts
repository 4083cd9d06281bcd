import { describe, expect, test } from 'vitest'
import { HTTP_PROBLEMS } from '../errors.ts'
import { defineProblems, problem } from './problem.ts'

describe('defineProblems', () => {
  test('makes problems of its own codes and of this package', () => {
    const make = defineProblems({ DECLINED: { status: 422, title: 'The payment was declined' } })
    expect(make('DECLINED')).toMatchObject({ status: 422, message: 'The payment was declined' })
    expect(make('NOT_FOUND', { detail: 'No payment 7.' })).toMatchObject({ status: 404 })
  })

  test('refuses a code that is taken or misspelt', () => {
    const definition = { status: 400, title: 'x' }
    expect(() => defineProblems({ NOT_FOUND: definition })).toThrow('NOT_FOUND is a problem of')
    expect(() => defineProblems({ notFound: definition })).toThrow('not UPPER_SNAKE')
  })
})

test('the catalogue fits its statuses', () => {
  for (const [code, { status, title }] of Object.entries(HTTP_PROBLEMS)) {
    expect(status, code).toBeGreaterThanOrEqual(400)
    expect(status, code).toBeLessThan(600)
    expect(title, code).toMatch(/^[A-Z].*[^.]$/)
  }
})

test('extensions cannot change what the problem is', () => {
  const extensions = { code: 'OTHER', status: 200, type: 'x', more: [1] }
  expect(problem('CONFLICT', { extensions }).toJSON()).toEqual({
    type: 'urn:posthorn:problem:conflict',
    title: HTTP_PROBLEMS.CONFLICT.title,
    status: 409,
    code: 'CONFLICT',
    detail: HTTP_PROBLEMS.CONFLICT.title,
    more: [1],
  })
})
