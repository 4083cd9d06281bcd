import { createHmac, generateKeyPairSync, randomBytes, sign as sign25519 } from 'node:crypto'
import { expect, test } from 'vitest'
import { serve } from '@posthorn/simulators/testing'
import { merchant } from './index.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`

function sign(body: string, { by = secret, at = Date.now() / 1000 } = {}) {
  const timestamp = String(Math.floor(at))
  const key = Buffer.from(by.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'x-webhook-signature': `sha256=${createHmac('sha256', by).update(body).digest('hex')}`,
  }
}

test('says of each webhook whether its signatures are right', async () => {
  const server = await serve({ simulators: [merchant()] })
  expect(await server.post('/sim/merchant/secrets', { secrets: [secret] })).toMatchObject({
    status: 204,
  })
  const body = '{"id":1}'
  const hook = async (headers: Record<string, string>, path = '/sim/merchant/hooks') => {
    const response = await fetch(server.url + path, { method: 'POST', headers, body })
    const [newest] = await server.requests('merchant')
    return { status: response.status, verified: newest?.['verified'], path: newest?.['path'] }
  }
  expect(await hook(sign(body))).toMatchObject({ status: 200, verified: true })
  expect(await hook(sign(body), '/sim/merchant/hooks/shop-7')).toMatchObject({
    verified: true,
    path: '/sim/merchant/hooks/shop-7',
  })
  const other = `whsec_${randomBytes(32).toString('base64')}`
  expect(await hook(sign(body, { by: other }))).toMatchObject({ status: 200, verified: false })
  expect(await hook(sign('{"id":2}'))).toMatchObject({ verified: false })
  expect(await hook(sign(body, { at: Date.now() / 1000 - 301 }))).toMatchObject({
    verified: false,
  })
  expect(await hook({ ...sign(body), 'x-webhook-signature': 'sha256=00' })).toMatchObject({
    verified: false,
  })
  expect(await hook({ 'content-type': 'application/json' })).toMatchObject({ verified: false })
})

test('checks the signatures of a key pair with the public key', async () => {
  const server = await serve({ simulators: [merchant()] })
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const known = `whpk_${point.toString('base64')}`
  await server.post('/sim/merchant/secrets', { secrets: [known] })
  const hook = async (body: string, signed = body) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = sign25519(null, Buffer.from(`msg_1.${timestamp}.${signed}`), privateKey)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1a,${signature.toString('base64')}`,
    }
    await fetch(`${server.url}/sim/merchant/hooks`, { method: 'POST', headers, body })
    return (await server.requests('merchant'))[0]?.['verified']
  }
  expect(await hook('{"id":1}')).toBe(true)
  expect(await hook('{"id":1}', '{"id":2}')).toBe(false)
})

test('knows its secrets after it forgot what happened, and checks what it lets fail', async () => {
  const server = await serve({ simulators: [merchant()] })
  await server.post('/sim/merchant/secrets', { secrets: [secret] })
  await fetch(`${server.url}/sim/merchant`, { method: 'DELETE' })
  await server.post('/sim/merchant/faults', { mode: 'error', status: 503, times: 1 })
  const body = '{}'
  const send = () =>
    fetch(`${server.url}/sim/merchant/hooks`, { method: 'POST', headers: sign(body), body })
  expect([(await send()).status, (await send()).status]).toEqual([503, 200])
  const seen = await server.requests('merchant')
  expect(seen.map(({ verified, outcome }) => [verified, outcome])).toEqual([
    [true, 'ok'],
    [true, 'error'],
  ])
})

test('refuses secrets that are none', async () => {
  const server = await serve({ simulators: [merchant()] })
  for (const body of [{}, { secrets: [] }, { secrets: [1] }]) {
    expect(await server.post('/sim/merchant/secrets', body)).toMatchObject({ status: 400 })
  }
})
