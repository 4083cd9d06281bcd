import { createHmac, createPublicKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newWebhookKeyPair } from './key-pair.ts'
import { newWebhookSecret, signWebhook, verifyWebhook } from './signature.ts'

/** The example of the Standard Webhooks specification. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: new Date(1_614_265_330_000),
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

const BODIES = ['{}', '{"a":"grüße 🗝","n":1.50}', '', ' {"spaces" :1}\n', 'x'.repeat(100_000)]

test('makes the signature of the specification', () => {
  const { id, body, at, secret } = VECTOR
  const headers = signWebhook({ id, body, at, secrets: [secret] })
  expect(headers).toMatchObject({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': VECTOR.signature,
    'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  })
  expect(verifyWebhook({ headers: { ...headers }, body, secrets: [secret], at })).toEqual({
    ok: true,
  })
})

test.each(BODIES)('agrees with the library of Standard Webhooks both ways (%#)', (body) => {
  const secret = newWebhookSecret()
  const library = new Webhook(secret)
  const ours = signWebhook({ id: 'msg_1', body, secrets: [secret] })
  expect(() => library.verify(body, { ...ours }, { jsonParse: false })).not.toThrow()

  const at = new Date()
  const headers = {
    'webhook-id': 'msg_2',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': library.sign('msg_2', at, body),
  }
  expect(verifyWebhook({ headers, body, secrets: [secret] })).toEqual({ ok: true })
  expect(verifyWebhook({ headers, body: Buffer.from(body), secrets: [secret] }).ok).toBe(true)
})

test('a key pair signs by v1a, as anyone with the public key can check', () => {
  const { privateKey, publicKey } = newWebhookKeyPair()
  const body = '{"a":"grüße"}'
  const headers = { ...signWebhook({ id: 'msg_1', body, secrets: [privateKey] }) }
  expect(headers).not.toHaveProperty('x-webhook-signature')
  const [version, signature = ''] = headers['webhook-signature'].split(',')
  expect(version).toBe('v1a')
  // By Node alone, without our code.
  const point = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: point }, format: 'jwk' })
  const signed = Buffer.from(`msg_1.${headers['webhook-timestamp']}.${body}`)
  expect(verify(null, signed, key, Buffer.from(signature, 'base64'))).toBe(true)
  expect(verifyWebhook({ headers, body, secrets: [publicKey] })).toEqual({ ok: true })
  const wrong = { headers, body: `${body} `, secrets: [publicKey] }
  expect(verifyWebhook(wrong)).toEqual({ ok: false, reason: 'signature' })
  const other = { headers, body, secrets: [newWebhookKeyPair().publicKey] }
  expect(verifyWebhook(other)).toEqual({ ok: false, reason: 'signature' })
  expect(() => signWebhook({ id: 'm', body, secrets: ['whsk_short'] })).toThrow('whsk_')
})

test('from a secret to a key pair both sign, each for those who know it', () => {
  const secret = newWebhookSecret()
  const { privateKey, publicKey } = newWebhookKeyPair()
  const body = '{}'
  const headers = { ...signWebhook({ id: 'm', body, secrets: [privateKey, secret] }) }
  expect(headers['webhook-signature']).toMatch(/^v1a,\S+ v1,\S+$/)
  expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
  for (const known of [secret, publicKey]) {
    expect(verifyWebhook({ headers, body, secrets: [known] }), known).toEqual({ ok: true })
  }
})

test('during a rotation both secrets verify, here and by the library', () => {
  const [old, current] = [newWebhookSecret(), newWebhookSecret()]
  const body = '{"id":1}'
  const headers = { ...signWebhook({ id: 'm', body, secrets: [current, old] }) }
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
  for (const secret of [old, current]) {
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
  }
  expect(verifyWebhook({ headers, body, secrets: [current, old] }).ok).toBe(true)
  const { 'x-webhook-signature': plain, ...standard } = headers
  for (const secret of [old, current]) {
    expect(verifyWebhook({ headers: standard, body, secrets: [secret] }).ok).toBe(true)
  }
  // A receiver that knows the old secret only, and only the plain signature, is not broken.
  const plainly = { 'x-webhook-signature': plain }
  expect(verifyWebhook({ headers: plainly, body, secrets: [old] }).ok).toBe(true)
})

test('every changed bit of body, id, time or signature is noticed', () => {
  const secret = newWebhookSecret()
  const body = '{"amount":100}'
  const headers = { ...signWebhook({ id: 'msg_1', body, secrets: [secret] }) }
  const isValid = (change: object, changed = body) =>
    verifyWebhook({ headers: { ...headers, ...change }, body: changed, secrets: [secret] }).ok
  expect(isValid({})).toBe(true)
  const bytes = Buffer.from(body)
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(verifyWebhook({ headers, body: flipped, secrets: [secret] }).ok).toBe(false)
  }
  expect(isValid({ 'webhook-id': 'msg_2' })).toBe(false)
  expect(isValid({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) })).toBe(
    false,
  )
  for (const name of ['webhook-signature', 'x-webhook-signature'] as const) {
    const text = headers[name] ?? ''
    expect(text).not.toBe('')
    for (let i = 0; i < text.length; i += 1) {
      const other = text[i] === 'A' ? 'B' : 'A'
      expect(isValid({ [name]: text.slice(0, i) + other + text.slice(i + 1) })).toBe(false)
    }
  }
})

test('says what is wrong with a request', () => {
  const secret = newWebhookSecret()
  const body = '{}'
  const good = { ...signWebhook({ id: 'm', body, secrets: [secret] }) }
  const reason = (headers: Record<string, string | string[] | undefined>, options = {}) => {
    const verified = verifyWebhook({ headers, body, secrets: [secret], ...options })
    return verified.ok ? 'ok' : verified.reason
  }
  const { 'x-webhook-signature': plain = '', ...standard } = good
  expect(reason({})).toBe('missing')
  expect(reason({ 'x-webhook-signature': plain })).toBe('ok')
  expect(reason({ ...good, 'x-webhook-signature': [plain, plain] })).toBe('malformed')
  expect(reason({ ...standard, 'webhook-id': undefined })).toBe('malformed')
  expect(reason({ ...standard, 'webhook-timestamp': 'soon' })).toBe('malformed')
  expect(reason({ ...standard, 'webhook-signature': 'v1,'.repeat(10_000) })).toBe('malformed')
  expect(reason({ ...standard, 'webhook-signature': 'v2,abc v1a,def' })).toBe('signature')
  expect(reason(good, { secrets: [newWebhookSecret()] })).toBe('signature')
  expect(reason(good, { secrets: [] })).toBe('signature')
  // One kind suffices, but none may be wrong.
  expect(reason({ ...standard, 'x-webhook-signature': 'sha256=00' })).toBe('signature')
  expect(reason({ ...good, 'webhook-signature': 'v1,AAAA' })).toBe('signature')
})

test('a timestamp is believed within five minutes, either way', () => {
  const secret = newWebhookSecret()
  const at = new Date(1_800_000_000_000)
  const headers = { ...signWebhook({ id: 'm', body: '', at, secrets: [secret] }) }
  const when = (seconds: number) =>
    verifyWebhook({
      headers,
      body: '',
      secrets: [secret],
      at: new Date(at.getTime() + seconds * 1000),
    }).ok
  expect([-301, -300, 0, 300, 301].map(when)).toEqual([false, true, true, true, false])
})

test('a secret that is not what it seems is refused', () => {
  for (const secret of [
    'whsec_',
    'whsec_c2hvcnQ=',
    'whsec_!!!!not base64 at all, but long enough',
  ]) {
    expect(() => signWebhook({ id: 'm', body: '', secrets: [secret] })).toThrow('24 to 64 bytes')
  }
  expect(() => signWebhook({ id: 'm', body: '', secrets: [] })).toThrow('needs a secret')
  expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
})
