import type { paths } from '../api/schema.d.ts'

type Me = paths['/api/v1/me']['get']['responses'][200]['content']['application/json']
export type Role = Me['role']

/** Whether the role sees outboxes and their messages. */
export function isOperator(role: Role): boolean {
  return role === 'operator' || role === 'platform'
}

/** Who is logged in, as the server said at the login. */
export interface Claims extends Readonly<Pick<Me, 'sub' | 'org' | 'role'>> {
  /** In ms since 1970. */
  readonly expiresAt: number
}

/** Who is logged in, or why no user is. */
export interface SessionState {
  readonly session: Claims | undefined
  /** `expired` is shown at the login: the user did not leave on purpose. */
  readonly ended: 'not begun' | 'expired' | 'logged out' | 'bad link'
}

/** What a page knows of the session; the session itself is a cookie that no script can read. */
export interface SessionKeeper {
  current(): SessionState
  subscribe(listener: () => void): () => void
  /** Of all tabs. */
  logIn(claims: Claims): void
  /** Of this page alone: the application around it, or its portal, knows the user. */
  enter(claims: Claims): void
  /** A link brought a token that is none; a user who is logged in stays so. */
  refuseLink(): void
  logOut(): void
  /** The server no longer takes the session. */
  expire(): void
  /** Another tab has logged in or out. */
  follow(): void
}

/** A longer timer would fire at once; a session that lasts longer is looked at again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createSessionKeeper(store: ClaimsStore): SessionKeeper {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let state: SessionState = { session: undefined, ended: 'not begun' }

  const become = (next: SessionState) => {
    clearTimeout(timer)
    state = next
    if (next.session !== undefined) watch(next.session)
    for (const listener of listeners) listener()
  }
  const watch = (session: Claims) => {
    const left = session.expiresAt - Date.now()
    if (left <= 0) keeper.expire()
    else timer = setTimeout(() => watch(session), Math.min(left, LONGEST_TIMER_MS))
  }
  const keeper: SessionKeeper = {
    current: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    logIn(claims) {
      store.keep(claims)
      keeper.enter(claims)
    },
    enter: (session) => become({ session, ended: 'not begun' }),
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
    follow() {
      const session = store.read()
      if (JSON.stringify(session) === JSON.stringify(state.session)) return
      become({ session, ended: 'logged out' })
    },
  }
  const kept = store.read()
  if (kept !== undefined) keeper.enter(kept)
  return keeper
}

const NAME = 'posthorn.session'

/** Where all tabs of a browser find who is logged in. */
interface ClaimsStore {
  /** Undefined without a session, or with one that is over. */
  read(): Claims | undefined
  keep(claims: Claims): void
  forget(): void
}

export function createClaimsStore(storage: Storage): ClaimsStore {
  return {
    read() {
      const kept = storage.getItem(NAME)
      const claims = kept === null ? undefined : (JSON.parse(kept) as Claims)
      return claims && claims.expiresAt > Date.now() ? claims : undefined
    },
    keep: (claims) => storage.setItem(NAME, JSON.stringify(claims)),
    forget: () => storage.removeItem(NAME),
  }
}

/** For pages that share their session with no other tab. */
export const NOWHERE: ClaimsStore = {
  read: () => undefined,
  keep: () => undefined,
  forget: () => undefined,
}

/** The token of a link as `npm start` prints it, and the address without it. */
export function tokenIn(hash: string): { token: string | undefined; rest: string } {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const token = fields.get('token') ?? undefined
  fields.delete('token')
  const left = fields.toString()
  return { token, rest: token === undefined ? hash : left && `#${left}` }
}
