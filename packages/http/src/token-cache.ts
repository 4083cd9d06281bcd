import type { Caller } from './caller.ts'

/** Long enough to spare nearly every signature check, short enough to notice a key that was withdrawn. */
const KEPT_MS = 60_000
const MOST_TOKENS = 5_000
/** Longer ones are checked every time, so that the cache stays below 10 MiB. */
const LONGEST_TOKEN = 2_048

export interface TokenCache {
  get(token: string): Caller | undefined
  set(token: string, caller: Caller): void
}

/** Remembers whom a verified token belongs to; the oldest is forgotten first. */
export function createTokenCache(now: () => number = Date.now): TokenCache {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>()
  return {
    get(token) {
      const entry = known.get(token)
      if (!entry) return undefined
      if (entry.until > now()) return entry.caller
      known.delete(token)
      return undefined
    },
    set(token, caller) {
      if (token.length > LONGEST_TOKEN) return
      known.delete(token)
      known.set(token, { caller, until: Math.min(now() + KEPT_MS, caller.expiresAt) })
      const oldest = known.size > MOST_TOKENS ? known.keys().next() : undefined
      if (oldest?.value !== undefined) known.delete(oldest.value)
    },
  }
}
