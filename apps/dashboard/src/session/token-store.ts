import { claimsOf, type Claims } from './claims.ts'

const NAME = 'posthorn.token'
const CLAIMS = 'posthorn.claims'

export interface Session {
  readonly token: string
  readonly claims: Claims
}

/** Where a tab keeps its token: gone with the tab, and never sent by the browser on its own. */
export interface TokenStore {
  /** Undefined without a token, or with one that has run out. */
  read(): Session | undefined
  /**
   * Undefined if the text is no token that is still good. What the server said of its holder is
   * believed before the token, which may say it in a provider's words.
   */
  keep(text: string, known?: Claims): Session | undefined
  forget(): void
}

export function createTokenStore(storage: Storage, now: () => number = Date.now): TokenStore {
  const sessionOf = (token: string, known: Claims | undefined): Session | undefined => {
    const claims = known ?? claimsOf(token)
    return claims === undefined || claims.expiresAt <= now() ? undefined : { token, claims }
  }
  return {
    read() {
      const token = storage.getItem(NAME)
      const kept = storage.getItem(CLAIMS)
      if (token === null) return undefined
      return sessionOf(token, kept === null ? undefined : (JSON.parse(kept) as Claims))
    },
    keep(text, known) {
      const session = sessionOf(text.trim(), known)
      if (session === undefined) return undefined
      storage.setItem(NAME, session.token)
      if (known === undefined) storage.removeItem(CLAIMS)
      else storage.setItem(CLAIMS, JSON.stringify(known))
      return session
    },
    forget() {
      storage.removeItem(NAME)
      storage.removeItem(CLAIMS)
    },
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
