import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { letterSystem } from '../../testing/letters.ts'
import { testServer } from '../../testing/test-server.ts'

const database = await testDatabase()
const letters = letterSystem({
  recurring: {
    digest: {
      cron: '0 6 * * *',
      timeZone: 'Europe/Zurich',
      message: () => ({ reader: 'ann', type: 'digest', org_id: 'demo' }),
    },
    broken: {
      every: '1d',
      message: () => {
        throw new Error('no exchange rate')
      },
    },
  },
})
const server = await testServer(database, { systems: [letters.system] })
const base = '/api/v1/outboxes/test.letters/recurring'

type Item = Record<string, unknown>
const act = (path: string, body: unknown = {}) => server.call(`${base}/${path}`, { body })
const digest = async () => {
  const { body } = await server.call(base)
  return (body['items'] as Item[]).find(({ name }) => name === 'digest')
}

test('recurring messages are listed in words, paused and resumed, each once in the audit', async () => {
  expect(await digest()).toMatchObject({
    inWords: 'every day at 06:00, Europe/Zurich',
    rule: 'cron 0 6 * * * Europe/Zurich',
    timeZone: 'Europe/Zurich',
    missed: 'latest',
    nextAt: expect.stringMatching(/T0[45]:00:00.000Z$/),
    lastAt: null,
    overdue: false,
    pausedAt: null,
  })
  const paused = await act('digest/pause', { reason: 'holidays' })
  expect(paused.body).toMatchObject({
    changed: true,
    recurring: { pausedBy: 'root', pauseReason: 'holidays' },
  })
  const again = await act('digest/pause', { reason: 'mine' })
  expect(again.body).toMatchObject({ changed: false, recurring: { pauseReason: 'holidays' } })
  const resumed = await act('digest/resume', { missed: 'skip' })
  expect(resumed.body).toMatchObject({ changed: true, recurring: { pausedAt: null } })
  const { body } = await server.call('/api/v1/audit?kind=operation&outbox=test.letters')
  expect(body['items']).toMatchObject([
    { operation: 'resume-recurring', subject: 'digest', actor: 'root' },
    { operation: 'pause-recurring', subject: 'digest', reason: 'holidays' },
  ])
})

test('one is run now, and not again by an operator who did not see that', async () => {
  const first = await act('digest/run', { seen: null, reason: 'a customer asked' })
  expect(first).toMatchObject({ status: 200, body: { created: true } })
  await expect.poll(() => letters.arrived).toContain('ann digest')
  expect(await digest()).toMatchObject({ runBy: 'root', lastMessage: first.body['message'] })
  const second = await act('digest/run', { seen: null })
  expect(second).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  expect(second.body['detail']).toMatch(/^root ran it at .*; nothing was enqueued\.$/)
  const seen = (await digest())?.['runAt']
  expect(await act('digest/run', { seen })).toMatchObject({ status: 200 })
  expect(await act('digest/run', null)).toMatchObject({ status: 200 })
})

test('what cannot be made says why; what is none is not found', async () => {
  const failed = await act('broken/run')
  expect(failed).toMatchObject({
    status: 409,
    body: { detail: 'broken of test.letters: no exchange rate' },
  })
  for (const verb of ['pause', 'resume', 'run']) {
    const answer = await act(`nope/${verb}`)
    expect(answer, verb).toMatchObject({ status: 404 })
    expect(answer.body['detail']).toContain('test.letters has no recurring message nope')
  }
  expect(await act('digest/resume', { missed: 'all' })).toMatchObject({ status: 400 })
  expect((await server.call('/api/v1/outboxes/nope/recurring')).status).toBe(404)
})
