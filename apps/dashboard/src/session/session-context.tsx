import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Claims, SessionKeeper, SessionState } from './session.ts'

export const SessionContext = createContext<SessionKeeper | undefined>(undefined)

export function useSessionKeeper(): SessionKeeper {
  const keeper = useContext(SessionContext)
  if (keeper === undefined) throw new Error('there is no SessionContext above')
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
