import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClaimsStore, createSessionKeeper, tokenIn, type Claims } from './session.ts'

const NOW = Date.UTC(2026, 10, 15)

beforeEach(() => void vi.useFakeTimers({ now: NOW }))
afterEach(() => void vi.useRealTimers())

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

const zoe = (seconds: number): Claims => ({
  ...{ sub: 'zoe', org: 'demo', role: 'member' },
  expiresAt: Date.now() + seconds * 1_000,
})

/** A tab of the browser that has this storage. */
const tabOf = (storage: Storage) => createSessionKeeper(createClaimsStore(storage))

test('a new tab continues the session of the browser, while it lasts', () => {
  const storage = memory()
  expect(tabOf(storage).current()).toEqual({ session: undefined, ended: 'not begun' })
  tabOf(storage).logIn(zoe(60))
  expect(tabOf(storage).current().session?.sub).toBe('zoe')
  vi.setSystemTime(NOW + 61_000)
  expect(tabOf(storage).current().session).toBeUndefined()
})

test('tells who follows of the login, of its end, and why it ended', () => {
  const keeper = tabOf(memory())
  const seen: (string | undefined)[] = []
  const stop = keeper.subscribe(() => {
    const { session, ended } = keeper.current()
    seen.push(session?.sub ?? ended)
  })
  keeper.refuseLink()
  keeper.logIn(zoe(60))
  keeper.refuseLink()
  keeper.logOut()
  keeper.logIn(zoe(90))
  keeper.expire()
  keeper.expire()
  expect(seen).toEqual(['bad link', 'zoe', 'logged out', 'zoe', 'expired'])
  stop()
  keeper.logIn(zoe(30))
  expect(seen).toHaveLength(5)
})

test('tabs log in and out together', () => {
  const storage = memory()
  const [one, other] = [tabOf(storage), tabOf(storage)]
  one.logIn(zoe(60))
  other.follow()
  expect(other.current().session?.sub).toBe('zoe')
  other.logOut()
  one.follow()
  expect(one.current()).toEqual({ session: undefined, ended: 'logged out' })
  // A user whom the page alone knows is nobody's elsewhere.
  one.enter(zoe(60))
  expect(tabOf(storage).current().session).toBeUndefined()
})

test.each([60, 90 * 86_400])('a session of %d s ends when it runs out, not before', (seconds) => {
  const keeper = tabOf(memory())
  keeper.logIn(zoe(seconds))
  vi.advanceTimersByTime(seconds * 1_000 - 1)
  expect(keeper.current().session).toBeDefined()
  vi.advanceTimersByTime(1)
  expect(keeper.current()).toEqual({ session: undefined, ended: 'expired' })
})

test.each([
  ['#token=abc', { token: 'abc', rest: '' }],
  ['#token=abc&tab=keys', { token: 'abc', rest: '#tab=keys' }],
  ['#tab=keys', { token: undefined, rest: '#tab=keys' }],
  ['', { token: undefined, rest: '' }],
])('the link %j gives its token away once', (hash, expected) => {
  expect(tokenIn(hash)).toEqual(expected)
})
