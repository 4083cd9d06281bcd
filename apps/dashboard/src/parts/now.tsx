import { createContext, useContext, useEffect, useState, type ReactNode } from 'react'

/** Moments are created on the wall's clock; what is due is so on the business clock, which moves. */
export interface Now {
  readonly wall: number
  readonly business: number
}

const Context = createContext<Now | undefined>(undefined)

const TICK_MS = 1_000

export interface NowProviderProps {
  /** How far the business clock is before the one on the wall. */
  readonly aheadMs: number
  readonly children: ReactNode
}

/** One clock for everything on a page that says how long ago. */
export function NowProvider({ aheadMs, children }: NowProviderProps) {
  const [wall, setWall] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => {
      // The tab is hidden: drawing would be wasted.
      if (document.visibilityState === 'visible') setWall(Date.now())
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <Context value={{ wall, business: wall + aheadMs }}>{children}</Context>
}

/** Both clocks in ms since 1970, each second anew. */
export function useNow(): Now {
  const now = useContext(Context)
  if (now === undefined) throw new Error('there is no NowProvider above')
  return now
}
