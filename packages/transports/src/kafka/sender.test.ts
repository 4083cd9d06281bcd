import { expect, test } from 'vitest'
import { createSender, type StringProducer } from './sender.ts'

/** A producer whose first sends fail as given, and which then appends; no broker fails on request. */
function producerOf(failures: Error[]) {
  const sent: number[] = []
  const producer = {
    clearMetadata: () => undefined,
    send: async ({ messages }: { messages: { topic: string; partition: number }[] }) => {
      sent.push(messages.length)
      const failure = failures.shift()
      if (failure !== undefined) throw failure
      return { offsets: [{ topic: 'orders', partition: 0, offset: 7n }] }
    },
  }
  return { sender: createSender(producer as unknown as StringProducer), sent }
}

const records = [1, 2].map((number) => ({
  ...{ topic: 'orders', partition: 0, key: 'k', value: `${number}`, headers: {} },
}))

/** As the library wraps what a broker answered to one of its requests. */
function answered(...apiIds: string[]): AggregateError {
  const answers = apiIds.map((apiId) => Object.assign(new Error(`the answer ${apiId}`), { apiId }))
  return new AggregateError([new AggregateError(answers, 'a request failed')], 'sending failed')
}

test('waits for a broker that has just started and has no producer id yet', async () => {
  const loading = answered('COORDINATOR_LOAD_IN_PROGRESS')
  const { sender, sent } = producerOf([loading, loading])
  expect(await sender.send(records)).toMatchObject([
    { kind: 'delivered', ref: { partition: 0, offset: '7' } },
    { kind: 'delivered', ref: { partition: 0, offset: '8' } },
  ])
  expect(sent).toEqual([2, 2, 2])
})

test('leaves it to the relay when a broker is not ready for long', async () => {
  const { sender } = producerOf(Array.from({ length: 20 }, () => answered('NOT_COORDINATOR')))
  expect(await sender.send(records)).toMatchObject(
    records.map(() => ({ kind: 'retryLater', unreachable: true })),
  )
})

test.each([
  ['an answer was lost', new AggregateError([answered('NOT_COORDINATOR'), new Error('cut')])],
  ['it is refused', answered('CLUSTER_AUTHORIZATION_FAILED')],
])('sends nothing twice when %s', async (_, failure) => {
  const { sender, sent } = producerOf([failure])
  await sender.send(records)
  expect(sent).toEqual([2])
})
