import { testDatabase } from '@posthorn/engine/testing'
import { testServer } from '@posthorn/server/testing'
import { expect, test } from 'vitest'
import { messages } from './index.ts'

const database = await testDatabase()
const server = await testServer(database, { systems: [messages] })
const admin = await server.tokenFor({ sub: 'ada', role: 'admin' })
const stranger = await server.tokenFor({ sub: 'eve', org: 'other', role: 'admin' })
const call = (path: string, body?: unknown, { method = 'POST', token = admin } = {}) =>
  server.call(path, body === undefined ? { token } : { token, body, method })

test('a person is erased from the messages of its dossier, and no other organisation sees it', async () => {
  await call('/api/v1/dossiers/d1/consents/whatsapp', { granted: true }, { method: 'PUT' })
  const sent = await call('/api/v1/outbound/messages', {
    ...{ dossierId: 'd1', channel: 'whatsapp', to: '+16505551234', templateCode: 'otp_code' },
    payloadJson: { language: 'en_US', parameters: ['4711'] },
  })
  const id = String(sent.body['id'])
  const read = async () => (await call(`/api/v1/outbound/messages/${id}`)).body
  await expect.poll(async () => (await read())['status']).toBe('DELIVERED')
  await database.pool.query(
    `insert into messages.person (user_id, org_id, recipient)
     values ('US.1a2b', 'demo', '+16505551234'), ('US.12', 'demo', '+16505559999')`,
  )
  const subject = { dossierId: 'd1' }
  for (const reason of ['a letter about D1', 'from +1 (650) 555-1234']) {
    expect(await call('/api/v1/erasures', { subject, reason })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'reason' }] },
    })
  }
  const counted = await call('/api/v1/erasures/count', { subject })
  const asked = await call('/api/v1/erasures', { subject, reason: 'a letter' })
  expect(asked).toMatchObject({
    status: 202,
    body: { subjectKind: 'dossierId', requestedBy: 'ada' },
  })
  const path = `/api/v1/erasures/${String(asked.body['id'])}`
  await expect.poll(async () => (await call(path)).body['status']).toBe('done')
  const { erased } = (await call(path)).body
  expect(counted).toMatchObject({ status: 200, body: { held: 0, isWhole: true } })
  // A status of the message may have come since.
  expect(counted.body['rows']).toBeGreaterThan(0)
  expect(Number(erased) - Number(counted.body['rows'])).toBeOneOf([0, 1])
  expect(await read()).toMatchObject({ to: '[erased]', payloadJson: { erased: true } })
  expect((await call(path, undefined, { token: stranger })).status).toBe(404)
  const { rows } = await database.pool.query(
    `select from posthorn.erasure where sealed_subject is not null
      union all select from messages.delivery_status where report::text like '%16505551234%'
      union all select from messages.outbound_attempt where provider_response::text like '%16505551234%'
      union all select from messages.person where user_id = 'US.1a2b' or recipient = '+16505551234'`,
  )
  expect(rows).toEqual([])
  const others = await database.pool.query(`select from messages.person where user_id = 'US.12'`)
  expect(others.rows).toHaveLength(1)
  for (const nobody of [{}, { email: 'a@b.c', phone: '+16505551234' }, { email: 'none' }]) {
    expect((await call('/api/v1/erasures', { subject: nobody })).status).toBe(400)
  }
})
