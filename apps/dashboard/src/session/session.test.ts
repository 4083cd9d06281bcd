import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSessionKeeper, type Session, type TokenStore } from './session.ts'

const NOW = Date.UTC(2026, 10, 15)

beforeEach(() => void vi.useFakeTimers({ now: NOW }))
afterEach(() => void vi.useRealTimers())

/** Tokens are the seconds that they last. */
function storeWith(kept?: string): TokenStore {
  const sessionOf = (token: string, from = Date.now()): Session => ({
    token,
    claims: { sub: 'zoe', org: 'demo', role: 'member', expiresAt: from + Number(token) * 1_000 },
  })
  let session = kept === undefined ? undefined : sessionOf(kept)
  return {
    read: () => (session && session.claims.expiresAt > Date.now() ? session : undefined),
    keep: (text) => (Number(text) > 0 ? (session = sessionOf(text)) : undefined),
    forget: () => void (session = undefined),
  }
}

test('goes on with the token that the tab has kept', () => {
  expect(createSessionKeeper(storeWith('60')).current().session?.token).toBe('60')
  expect(createSessionKeeper(storeWith()).current()).toEqual({
    session: undefined,
    ended: 'not begun',
  })
})

test('tells who follows of the login, of its end, and why it ended', () => {
  const keeper = createSessionKeeper(storeWith())
  const seen: (string | undefined)[] = []
  const stop = keeper.subscribe(() => {
    const { session, ended } = keeper.current()
    seen.push(session?.token ?? ended)
  })
  expect(keeper.logIn('rubbish')).toBe(false)
  expect(keeper.logIn('60')).toBe(true)
  keeper.logOut()
  keeper.logIn('90')
  keeper.expire()
  keeper.expire()
  expect(seen).toEqual(['60', 'logged out', '90', 'expired'])
  stop()
  keeper.logIn('30')
  expect(seen).toHaveLength(4)
})

test.each([60, 90 * 86_400])('a token of %d s ends when it runs out, not before', (seconds) => {
  const keeper = createSessionKeeper(storeWith())
  keeper.logIn(String(seconds))
  vi.advanceTimersByTime(seconds * 1_000 - 1)
  expect(keeper.current().session).toBeDefined()
  vi.advanceTimersByTime(1)
  expect(keeper.current()).toEqual({ session: undefined, ended: 'expired' })
})

test('a token that is renewed lasts as long as the new one', () => {
  const keeper = createSessionKeeper(storeWith('60'))
  keeper.logIn('600')
  vi.advanceTimersByTime(100_000)
  expect(keeper.current().session?.token).toBe('600')
})
