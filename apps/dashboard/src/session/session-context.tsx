import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react'
import type { Claims, SessionKeeper, SessionState } from './session.ts'

const Context = createContext<SessionKeeper | undefined>(undefined)

export function SessionProvider(props: { keeper: SessionKeeper; children: ReactNode }) {
  return <Context value={props.keeper}>{props.children}</Context>
}

export function useSessionKeeper(): SessionKeeper {
  const keeper = useContext(Context)
  if (keeper === undefined) throw new Error('there is no SessionProvider above')
  return keeper
}

export function useSessionState(): SessionState {
  const keeper = useSessionKeeper()
  return useSyncExternalStore(keeper.subscribe, keeper.current)
}

/** Who is logged in; only for what is shown behind the login. */
export function useClaims(): Claims {
  const { session } = useSessionState()
  if (session === undefined) throw new Error('no user is logged in')
  return session
}
