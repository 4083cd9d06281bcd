/** As `ROLES` of the server; what each may do, `/api/v1/me` says. */
const ROLES = ['viewer', 'clerk', 'member', 'approver', 'admin', 'operator', 'platform'] as const
export type Role = (typeof ROLES)[number]

/** Whether the role sees outboxes and their messages. */
export function isOperator(role: Role): boolean {
  return role === 'operator' || role === 'platform'
}

/** Who a token says its holder is. The server checks it; the page only shows it. */
export interface Claims {
  readonly sub: string
  readonly org: string
  readonly role: Role
  /** In ms since 1970. */
  readonly expiresAt: number
}

/** Reads a token without checking it; undefined for what is none. */
export function claimsOf(token: string): Claims | undefined {
  const [, body, signature] = token.split('.')
  if (body === undefined || !signature) return undefined
  try {
    const { sub, org, role = 'member', exp } = JSON.parse(decode(body)) as Record<string, unknown>
    if (typeof sub !== 'string' || typeof org !== 'string' || typeof exp !== 'number') return
    const known = ROLES.find((each) => each === role)
    if (known === undefined) return
    return { sub, org, role: known, expiresAt: exp * 1_000 }
  } catch {
    return undefined
  }
}

function decode(part: string): string {
  const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
}

/** Who is logged in, or why no user is. */
export interface SessionState {
  readonly session: Session | undefined
  /** `expired` is shown at the login: the user did not leave on purpose. */
  readonly ended: 'not begun' | 'expired' | 'logged out' | 'bad link'
}

/** The session of this tab, with its changes. */
export interface SessionKeeper {
  current(): SessionState
  subscribe(listener: () => void): () => void
  /** False if the text is no valid token. `known` are the claims as the server read them. */
  logIn(token: string, known?: Claims): boolean
  /** A link brought a token that is none; a user who is logged in stays so. */
  refuseLink(): void
  logOut(): void
  /** The server no longer takes the token. */
  expire(): void
}

/** A longer timer would fire at once; a token that lasts longer is looked at again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createSessionKeeper(store: TokenStore): SessionKeeper {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let state: SessionState = { session: undefined, ended: 'not begun' }

  const become = (next: SessionState) => {
    clearTimeout(timer)
    state = next
    if (next.session !== undefined) watch(next.session)
    for (const listener of listeners) listener()
  }
  const watch = ({ claims }: Session) => {
    const left = claims.expiresAt - Date.now()
    timer = setTimeout(look, Math.min(Math.max(left, 0), LONGEST_TIMER_MS))
  }
  const look = () => {
    const session = store.read()
    if (session === undefined) keeper.expire()
    else watch(session)
  }
  const keeper: SessionKeeper = {
    current: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    logIn(token, known) {
      const session = store.keep(token, known)
      if (session === undefined) return false
      become({ session, ended: 'not begun' })
      return true
    },
    refuseLink() {
      if (state.session === undefined) become({ session: undefined, ended: 'bad link' })
    },
    logOut() {
      store.forget()
      become({ session: undefined, ended: 'logged out' })
    },
    expire() {
      store.forget()
      if (state.session !== undefined) become({ session: undefined, ended: 'expired' })
    },
  }
  const kept = store.read()
  if (kept !== undefined) become({ session: kept, ended: 'not begun' })
  return keeper
}

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
