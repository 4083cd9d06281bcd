import { expect, test } from 'vitest'
import { claimsOf, createTokenStore, tokenIn } from './session.ts'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = (claims: object) => `${encode({ alg: 'HS256' })}.${encode(claims)}.signature`

const NOW = 1_800_000_000_000
const GOOD = { sub: 'Zoë', org: 'ünited', role: 'operator', exp: NOW / 1_000 + 60 }

function memory(): Storage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    clear: () => items.clear(),
    key: (i) => [...items.keys()][i] ?? null,
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  }
}

test('a token says who its holder is, in any alphabet', () => {
  const { exp, ...rest } = GOOD
  expect(claimsOf(tokenOf(GOOD))).toEqual({ ...rest, expiresAt: exp * 1_000 })
  expect(claimsOf(tokenOf({ ...GOOD, role: undefined }))?.role).toBe('member')
})

test.each([
  ['nothing', ''],
  ['a word', 'hello'],
  ['no JSON', 'a.b.c'],
  ['null', `x.${encode(null)}.y`],
  ['no signature', `x.${encode(GOOD)}.`],
  ['no end', tokenOf({ ...GOOD, exp: undefined })],
  ['no organisation', tokenOf({ ...GOOD, org: 7 })],
  ['an unknown role', tokenOf({ ...GOOD, role: 'root' })],
])('%s is no token', (_what, text) => {
  expect(claimsOf(text)).toBeUndefined()
})

test('is kept until it runs out or is forgotten', () => {
  let now = NOW
  const storage = memory()
  const store = createTokenStore(storage, () => now)
  expect(store.keep(` ${tokenOf(GOOD)}\n`)?.claims.sub).toBe('Zoë')
  expect(store.read()?.token).toBe(tokenOf(GOOD))
  now += 61_000
  expect(store.read()).toBeUndefined()
  expect(store.keep(tokenOf(GOOD))).toBeUndefined()
  store.forget()
  expect(storage).toHaveLength(0)
})

test('what the server said of a holder goes before what the token says, until another comes', () => {
  const store = createTokenStore(memory(), () => NOW)
  const known = { sub: 'zoe', org: 'acme', role: 'member', expiresAt: NOW + 1 } as const
  const foreign = tokenOf({ sub: 'zoe', tenant: 'acme', exp: GOOD.exp })
  expect(store.keep(foreign)).toBeUndefined()
  expect(store.keep(foreign, known)?.claims).toEqual(known)
  expect(store.read()).toEqual({ token: foreign, claims: known })
  expect(store.keep(foreign, { ...known, expiresAt: NOW })).toBeUndefined()
  store.keep(tokenOf(GOOD))
  expect(store.read()?.claims.org).toBe('ünited')
})

test.each([
  ['#token=abc', { token: 'abc', rest: '' }],
  ['#token=abc&tab=keys', { token: 'abc', rest: '#tab=keys' }],
  ['#tab=keys', { token: undefined, rest: '#tab=keys' }],
  ['', { token: undefined, rest: '' }],
])('the link %j gives its token away once', (hash, expected) => {
  expect(tokenIn(hash)).toEqual(expected)
})
