import {
  createContext,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { basePath } from '../base.ts'
import type { LiveState } from './connection.ts'
import { openLive, type Live } from './live.ts'

const Context = createContext<Live | undefined>(undefined)

interface LiveProviderProps {
  readonly token: () => string | undefined
  readonly children: ReactNode
}

/** One connection for all pages, for as long as a user is logged in and the tab is visible. */
export function LiveProvider({ token, children }: LiveProviderProps) {
  const [live, setLive] = useState<Live>()
  useEffect(() => {
    const opened = openLive({ token, url: `${basePath()}/api/v1/stream` })
    const look = () => opened.show(document.visibilityState === 'visible')
    look()
    document.addEventListener('visibilitychange', look)
    setLive(opened)
    return () => {
      document.removeEventListener('visibilitychange', look)
      opened.close()
    }
  }, [token])
  return <Context value={live}>{children}</Context>
}

/** Undefined until the connection is made, which pages need not care about. */
export function useLive(): Live | undefined {
  return useContext(Context)
}

export function useLiveState(): LiveState {
  const live = useLive()
  return useSyncExternalStore(
    live?.onState ?? (() => () => undefined),
    live?.state ?? (() => 'connecting' as const),
  )
}
