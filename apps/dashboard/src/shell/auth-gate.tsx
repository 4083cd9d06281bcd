import { useCallback } from 'react'
import { LiveProvider } from '../live/live-context.tsx'
import type { Page } from '../pages/page.ts'
import { Login } from '../session/login.tsx'
import { useSessionKeeper, useSessionState } from '../session/session-context.tsx'
import { Shell } from './shell.tsx'

/** The address stays as it is at the door: who logs in is where they wanted to be. */
export function AuthGate({ pages }: { pages: readonly Page[] }) {
  const keeper = useSessionKeeper()
  const { session } = useSessionState()
  const token = useCallback(() => keeper.current().session?.token, [keeper])
  if (session === undefined) return <Login />
  return (
    <LiveProvider token={token}>
      <Shell pages={pages} />
    </LiveProvider>
  )
}
