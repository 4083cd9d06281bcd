import type { ReactNode } from 'react'
import { ROLE_LOOKS, type StateRole } from '../../states/role.ts'
import { Time } from './time.tsx'
import classes from './timeline.module.css'

export interface TimelineEntry {
  readonly id: string
  readonly at: string | null
  /** What happened, as a sentence. */
  readonly what: ReactNode
  /** Colours the point; the sentence says it too. */
  readonly role?: StateRole | undefined
  readonly details?: ReactNode
}

export interface TimelineProps {
  readonly entries: readonly TimelineEntry[]
  /** By which they were written down. Default `wall`. */
  readonly clock?: 'wall' | 'business'
}

/** What happened, in the order given. */
export function Timeline({ entries, clock = 'wall' }: TimelineProps) {
  return (
    <ol className={classes['line']}>
      {entries.map(({ id, at, what, role, details }) => (
        <li key={id} data-color={role && ROLE_LOOKS[role].color}>
          <div className={classes['what']}>
            <span>{what}</span>
            <span className={classes['at']}>
              <Time at={at} clock={clock} />
            </span>
          </div>
          {details !== undefined && <div className={classes['details']}>{details}</div>}
        </li>
      ))}
    </ol>
  )
}
