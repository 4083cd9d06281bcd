import { expect, test } from 'vitest'
import { linkCreated } from './links.ts'

const created = { content: { 'application/json': { schema: { properties: { id: {} } } } } }
const done = { responses: { 200: {} } }

function document(answer: object = created) {
  return {
    paths: {
      '/things': { get: done, post: { responses: { 201: answer, '4XX': {} } } },
      '/things/{id}': { get: done, delete: done },
      '/things/{id}/parts': { post: done },
      '/things/{id}/parts/{part}': { get: done },
      '/things-of-others/{id}': { get: done },
    },
  }
}

test('what creates something is linked to the routes that take its id', () => {
  const id = '$response.body#/id'
  const to = (path: string) => ({
    operationRef: `#/paths/~1things~1{id}${path}`,
    parameters: { id },
  })
  expect(linkCreated(document()).paths['/things'].post.responses[201]).toEqual({
    ...created,
    links: { get: to('/get'), delete: to('/delete'), 'post-parts': to('~1parts/post') },
  })
})

test('an answer without an id is linked to nothing', () => {
  expect(linkCreated(document({}))).toEqual(document({}))
})
