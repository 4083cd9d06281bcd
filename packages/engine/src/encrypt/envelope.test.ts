import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { envelopeIn, open, seal, type Form } from './envelope.ts'
import { keyRing } from './master-keys.ts'

const key = { id: '0190a0c0-0000-7000-8000-000000000001', secret: createSecretKey(randomBytes(32)) }
const context = 'shop.orders\n1\npayload'

const VALUES: [Form, unknown][] = [
  ['json', { text: 'grüße', list: [1, null] }],
  ['json', 'a word'],
  ['text', 'grüße'],
  ['bytes', Buffer.from([0, 255, 7])],
]

test.for(VALUES)('a value of the form %s comes back as it was', ([form, value]) => {
  const stored = seal(value, { form, key, context })
  const envelope = envelopeIn(stored)
  expect(envelope).toMatchObject({ form, key: key.id })
  expect(open(envelope!, { secret: key.secret, context })).toEqual(value)
  expect(JSON.stringify(stored)).not.toContain('grü')
  expect(seal(value, { form, key, context })).not.toEqual(stored)
})

test('opens nowhere else, not with another key, and not after a change', () => {
  const envelope = envelopeIn(seal({ a: 1 }, { form: 'json', key, context }))!
  const secret = createSecretKey(randomBytes(32))
  const changed = Buffer.from(envelope.body)
  changed[0] = (changed[0] ?? 0) ^ 1
  expect(() => open(envelope, { secret: key.secret, context: `${context}2` })).toThrow('changed')
  expect(() => open(envelope, { secret, context })).toThrow('changed')
  expect(() => open({ ...envelope, body: changed }, { secret: key.secret, context })).toThrow(
    'changed',
  )
})

test('what was never encrypted is no envelope, and half a one is refused', () => {
  for (const plain of [null, undefined, 1, 'posthorn', { encrypted: true }, Buffer.from('x')]) {
    expect(envelopeIn(plain)).toBeUndefined()
  }
  expect(() => envelopeIn({ encrypted: 'A256GCM', key: key.id })).toThrow('truncated')
  expect(() => envelopeIn('posthorn.A256GCM.nonsense')).toThrow('truncated')
})

test('a key ring unwraps with any of its secrets, and only in the same context', async () => {
  const [old, recent] = ['o'.repeat(32), 'n'.repeat(32)]
  const bytes = randomBytes(32)
  const wrapped = await keyRing([old]).wrap(bytes, 'a')
  expect(await keyRing([recent, old]).unwrap(wrapped, 'a')).toEqual(bytes)
  expect((await keyRing([recent, old]).wrap(bytes, 'a')).master).not.toBe(wrapped.master)
  await expect(keyRing([recent]).unwrap(wrapped, 'a')).rejects.toThrow(wrapped.master)
  await expect(keyRing([old]).unwrap(wrapped, 'b')).rejects.toThrow('authenticate')
  expect(() => keyRing(['short'])).toThrow('32 or more')
})
