import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { letterSystem } from '../../testing/letters.ts'
import { testServer } from '../../testing/test-server.ts'

const server = await testServer(await testDatabase(), { systems: [letterSystem().system] })
const admin = await server.tokenFor({ sub: 'ada', role: 'admin' })
const stranger = await server.tokenFor({ sub: 'eve', org: 'other', role: 'admin' })
const call = (path: string, body?: unknown, { method = 'POST', token = admin } = {}) =>
  server.call(path, body === undefined ? { token } : { token, body, method })
const put = (body: unknown) => call('/api/v1/retention', body, { method: 'PUT' })

test('an organisation sets its own times, within bounds', async () => {
  const { status, body } = await call('/api/v1/retention')
  expect(status).toBe(200)
  expect(body['items']).toContainEqual(
    expect.objectContaining({
      ...{ class: 'letters.posted', keep: '90d', keepSetBy: 'default' },
      ...{ default: '90d', least: '7d', settable: true, due: 0, personal: true },
    }),
  )
  const posted = { class: 'letters.posted' }
  expect(await put({ ...posted, keep: '30d' })).toMatchObject({
    status: 200,
    body: { keep: '30d', keepSetBy: 'organisation' },
  })
  const { body: others } = await call('/api/v1/retention', undefined, { token: stranger })
  expect(others['items']).toContainEqual(expect.objectContaining({ ...posted, keep: '90d' }))
  expect(await put({ ...posted, keep: 'forever' })).toMatchObject({
    body: { keep: 'forever' },
  })
  expect(await put({ ...posted, keep: null })).toMatchObject({ body: { keep: '90d' } })
  const refusals = [
    [{ ...posted, keep: '6d' }, 'keep'],
    [{ ...posted, keep: 'a while' }, 'keep'],
    [{ class: 'letters.stamps', keep: '1d' }, 'class'],
    [{ class: 'engine.topics', keep: '1d' }, 'scope'],
  ] as const
  for (const [change, field] of refusals) {
    expect(await put(change)).toMatchObject({ status: 400, body: { errors: [{ field }] } })
  }
  expect(await put({ ...posted, keep: '8d', scope: 'platform' })).toMatchObject({ status: 403 })
  const forAll = { ...posted, keep: '60d', scope: 'platform' }
  const platform = await server.tokenFor({ sub: 'root', role: 'platform' })
  expect(await call('/api/v1/retention', forAll, { method: 'PUT', token: platform })).toMatchObject(
    {
      body: { keep: '60d', keepSetBy: 'platform' },
    },
  )
  const { body: now } = await call('/api/v1/retention')
  expect(now['items']).toContainEqual(expect.objectContaining({ ...posted, keep: '60d' }))
  expect(await put({ class: 'letters.poems', keep: '1d' })).toMatchObject({ status: 404 })
  const audit = await server.call('/api/v1/audit?kind=operation&actor=ada')
  expect(audit.body['items']).toContainEqual(
    expect.objectContaining({ operation: 'set retention', subject: posted.class }),
  )
})

test.each(['constructor', '__proto__'])(
  'an organisation called %s has the usual times',
  async (org) => {
    const token = await server.tokenFor({ sub: 'eve', org, role: 'admin' })
    const { status, body } = await call('/api/v1/retention', undefined, { token })
    expect(status).toBe(200)
    expect(body['items']).toContainEqual(
      expect.objectContaining({ class: 'letters.stamps', keepSetBy: 'default' }),
    )
  },
)

test('a legal hold is placed once, with a reason, on what exists, and released', async () => {
  const path = '/api/v1/legal-holds'
  const hold = { kind: 'organisation', reason: 'lawsuit 12/26' }
  const placed = await call(path, hold)
  expect(placed).toMatchObject({ status: 201, body: { kind: 'organisation', placedBy: 'ada' } })
  expect(await call(path, hold)).toMatchObject({ status: 200, body: { id: placed.body['id'] } })
  expect(await call(path, { kind: 'letter', reason: 'x' })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'subject' }] },
  })
  const unknown = { kind: 'letter', subject: '01890a5d-ac96-774b-bcce-b302099a8057', reason: 'x' }
  expect((await call(path, unknown)).status).toBe(404)
  expect((await call(path, { kind: 'organisation' })).status).toBe(400)
  const release = `${path}/${String(placed.body['id'])}/release`
  expect((await call(release, { reason: 'x' }, { token: stranger })).status).toBe(404)
  for (const _ of [1, 2]) {
    expect(await call(release, { reason: 'settled' })).toMatchObject({
      status: 200,
      body: { releasedBy: 'ada', releaseReason: 'settled' },
    })
  }
  expect((await call(`${path}?status=open`)).body['items']).toEqual([])
})
