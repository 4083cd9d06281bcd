import { Text, VisuallyHidden } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import keyValueClasses from './key-value.module.css'
import statClasses from './stat.module.css'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconClockPlay, IconCopy } from '@tabler/icons-react'
import idClasses from './copy-id.module.css'
import { formatDuration, formatRelative } from '../../format/number.ts'
import timeClasses from './time.module.css'

interface StatProps {
  readonly label: string
  readonly value: ReactNode
  /** What the number means, or how it changed. */
  readonly hint?: ReactNode
  /** A number that needs attention. */
  readonly tone?: 'normal' | 'warning' | 'bad'
}

const TONES = { normal: undefined, warning: 'orange', bad: 'red' } as const

/** One number of a strip of them. */
export function Stat({ label, value, hint, tone = 'normal' }: StatProps) {
  return (
    <div className={statClasses['stat']} data-color={TONES[tone]}>
      <dt>{label}</dt>
      <dd>
        {value}
        {hint !== undefined && (
          <Text
            size="xs"
            c="dimmed"
            component="div"
            title={typeof hint === 'string' ? hint : undefined}
          >
            {hint}
          </Text>
        )}
      </dd>
    </div>
  )
}

export function StatStrip({ children }: { children: ReactNode }) {
  return <dl className={statClasses['strip']}>{children}</dl>
}

/** Facts, one to a line; what is undefined is left out. */
export function KeyValue({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={keyValueClasses['facts']}>
      {Object.entries(facts).map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

export interface CopyIdProps {
  readonly id: string
  /** What it is called when it is copied. Default `id`. */
  readonly what?: string
  /** Characters shown of a long one; the whole one is copied and on hover. Default: all. */
  readonly shown?: number
}

/** An id as one writes it, with a button that copies it. */
export function CopyId({ id, what = 'id', shown = Number.POSITIVE_INFINITY }: CopyIdProps) {
  const { copied, copy } = useClipboard()
  const label = copied ? 'Copied' : `Copy ${what}`
  return (
    <span className={idClasses['id']}>
      <code title={id}>{id.length > shown ? shorten(id, shown) : id}</code>
      <button type="button" title={label} aria-label={label} onClick={() => copy(id)}>
        {copied ? <IconCheck size={13} aria-hidden /> : <IconCopy size={13} aria-hidden />}
      </button>
    </span>
  )
}

/** An id among facts: left out where there is none. */
export function idFact(id: string | null, look: Omit<CopyIdProps, 'id'> = {}): ReactNode {
  return id === null ? undefined : <CopyId id={id} {...look} />
}

/** Also where something follows it: ids of parts may be an id and a number. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** A text in a narrow place: ids in it by their ends, as `shorten` has them. */
export function withShortIds(text: string): string {
  return text.replaceAll(UUIDS, (id) => `…${id.slice(-8)}`)
}

/** Ids of one hour begin alike: users recognise them by their ends. */
function shorten(id: string, shown: number): string {
  return UUID.test(id) ? `…${id.slice(-shown)}` : `${id.slice(0, shown)}…`
}

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
    <button type="button" className={timeClasses['time']} title={title} onClick={() => copy(at)}>
      <time dateTime={at}>{copied ? 'copied' : wordsFor(ms, now, ahead)}</time>
      {isMoved && (
        <span className={timeClasses['business']}>
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

/** Both clocks in ms since 1970, every second. */
export function useNow(): Now {
  const now = useContext(Context)
  if (now === undefined) throw new Error('there is no NowProvider above')
  return now
}
