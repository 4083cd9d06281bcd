import type { Claims } from './claims.ts'
import { claimsOf } from './claims.ts'

const NAME = 'posthorn.token'

export interface Session {
  readonly token: string
  readonly claims: Claims
}

/** Where a tab keeps its token: gone with the tab, and never sent by the browser on its own. */
export interface TokenStore {
  /** Undefined without a token, or with one that has run out. */
  read(): Session | undefined
  /** Undefined if the text is no token that is still good. */
  keep(text: string): Session | undefined
  forget(): void
}

export function createTokenStore(storage: Storage, now: () => number = Date.now): TokenStore {
  const sessionOf = (token: string): Session | undefined => {
    const claims = claimsOf(token)
    return claims === undefined || claims.expiresAt <= now() ? undefined : { token, claims }
  }
  return {
    read() {
      const token = storage.getItem(NAME)
      return token === null ? undefined : sessionOf(token)
    },
    keep(text) {
      const session = sessionOf(text.trim())
      if (session !== undefined) storage.setItem(NAME, session.token)
      return session
    },
    forget: () => storage.removeItem(NAME),
  }
}

/** The token of a link as `npm start` prints it, and the address without it. */
export function tokenIn(hash: string): { token: string | undefined; rest: string } {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const token = fields.get('token') ?? undefined
  fields.delete('token')
  const left = fields.toString()
  return { token, rest: token === undefined ? hash : left && `#${left}` }
}
