import { VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconClockPlay } from '@tabler/icons-react'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { formatDuration, formatRelative } from '../../format/number.ts'
import classes from './time.module.css'

const EXACT = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
})

/** Clocks of two machines differ a little: what happened is not said to come. */
const SKEW_MS = 5_000

export interface TimeProps {
  readonly at: string | null | undefined
  /** `business` for what is dated by that clock, which can be moved. Default `wall`. */
  readonly clock?: 'wall' | 'business'
  /** It is to come. What has happened is never said to be in the future. */
  readonly ahead?: boolean
}

/** How long ago or in how long; the exact moment on hover, copied by a click. */
export function Time({ at, clock = 'wall', ahead = false }: TimeProps) {
  const { wall, [clock]: now } = useNow()
  const isMoved = clock === 'business' && now !== wall
  const { copied, copy } = useClipboard({ timeout: 1_000 })
  const ms = at == null ? Number.NaN : Date.parse(at)
  if (at == null || Number.isNaN(ms)) return <span>–</span>
  const by = isMoved ? ' by the business clock' : ''
  const title = copied ? 'Copied' : `${EXACT.format(ms)}${by} · click to copy`
  return (
    <button type="button" className={classes['time']} title={title} onClick={() => copy(at)}>
      <time dateTime={at}>{copied ? 'copied' : wordsFor(ms, now, ahead)}</time>
      {isMoved && (
        <span className={classes['business']}>
          <IconClockPlay size={12} stroke={1.8} aria-hidden />
          <VisuallyHidden>business</VisuallyHidden>
        </span>
      )}
    </button>
  )
}

function wordsFor(ms: number, now: number, ahead: boolean): string {
  if (ahead || ms <= now) return formatRelative(ms, now)
  // Dated by a business clock that was set back since: how long ago cannot be said.
  return ms - now < SKEW_MS ? 'now' : EXACT.format(ms)
}

/** A moment among facts: left out where there is none. */
export function timeFact(at: string | null, look: Omit<TimeProps, 'at'> = {}): ReactNode {
  return at === null ? undefined : <Time at={at} {...look} />
}

/** How long ago something was, without the word. */
export function Age({ of }: { of: string }) {
  const { wall } = useNow()
  return <Duration ms={Math.max(0, wall - Date.parse(of))} />
}

/** A length of time in its two largest units. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{ms == null ? '–' : formatDuration(ms)}</span>
}

/** Moments are created on the wall's clock; what is due is so on the business clock, which moves. */
interface Now {
  readonly wall: number
  readonly business: number
}

const Context = createContext<Now | undefined>(undefined)

const TICK_MS = 1_000

interface NowProviderProps {
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
