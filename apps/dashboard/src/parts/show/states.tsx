import { IconCircleDashed, IconPointFilled } from '@tabler/icons-react'
import badgeClasses from './state-badge.module.css'
import { ROLE_LOOKS, type RoleLook, type StateRole } from '../../states/role.ts'
import type { CSSProperties, ReactNode } from 'react'
import stepClasses from './step-row.module.css'
import { Time } from './facts.tsx'
import timelineClasses from './timeline.module.css'
import { formatCount } from '../../format/number.ts'
import barClasses from './stacked-bar.module.css'

export interface StateBadgeProps {
  /** As its table calls it. */
  readonly state: string
  /** What it means; undefined for a word that means nothing in particular. */
  readonly role: StateRole | undefined
}

/** A state with the colour, icon and plain word of its role. */
export function StateBadge({ state, role }: StateBadgeProps) {
  const look = role && ROLE_LOOKS[role]
  const Picture = look?.icon ?? IconPointFilled
  return (
    <span className={badgeClasses['badge']} data-color={look?.color ?? 'gray'} title={look?.word}>
      <Picture size={13} stroke={2} aria-hidden />
      <span>{state}</span>
    </span>
  )
}

export interface RowStep {
  readonly id: string
  readonly name: string
  /** Where it is, in a word or two: the colour never says it alone. */
  readonly word: string
  /** Undefined for a step that has not begun. */
  readonly role?: StateRole | undefined
  readonly isCurrent?: boolean
  readonly details?: ReactNode
  /** Where it stands if steps run side by side: its column, its row, and over how many rows. */
  readonly place?:
    { readonly column: number; readonly row: number; readonly rows: number } | undefined
}

/** Steps one after the other, with the one where it stands; below each other on a phone. */
export function StepRow({ label, steps }: { label: string; steps: readonly RowStep[] }) {
  return (
    <ol
      className={stepClasses['row']}
      data-placed={steps.some(({ place }) => place !== undefined) || undefined}
      aria-label={label}
    >
      {steps.map((step) => (
        <StepCard key={step.id} step={step} />
      ))}
    </ol>
  )
}

function StepCard({ step }: { step: RowStep }) {
  const { name, word, role, isCurrent = false, details, place } = step
  const look = role && ROLE_LOOKS[role]
  const Picture = look?.icon ?? IconCircleDashed
  return (
    <li
      data-color={look?.color ?? 'gray'}
      data-open={role === undefined || undefined}
      {...(isCurrent && { 'aria-current': 'step' })}
      {...(place && {
        style: {
          '--column': place.column,
          '--row': `${place.row} / span ${place.rows}`,
        } as CSSProperties,
      })}
    >
      <div className={stepClasses['name']}>
        <Picture size={15} stroke={2} aria-hidden />
        <span>{name}</span>
      </div>
      <div className={stepClasses['word']}>{word}</div>
      {details !== undefined && <div className={stepClasses['details']}>{details}</div>}
    </li>
  )
}

export interface TimelineEntry {
  readonly id: string
  readonly at: string | null
  /** What happened, as a sentence. */
  readonly what: ReactNode
  /** Colours the point; the sentence says it too. */
  readonly role?: StateRole | undefined
  readonly details?: ReactNode
}

interface TimelineProps {
  readonly entries: readonly TimelineEntry[]
  /** By which they were written down. Default `wall`. */
  readonly clock?: 'wall' | 'business'
}

/** What happened, in the order given. */
export function Timeline({ entries, clock = 'wall' }: TimelineProps) {
  return (
    <ol className={timelineClasses['line']}>
      {entries.map(({ id, at, what, role, details }) => (
        <li key={id} data-color={role ? ROLE_LOOKS[role].color : 'gray'}>
          <div className={timelineClasses['what']}>
            <span>{what}</span>
            <span className={timelineClasses['at']}>
              <Time at={at} clock={clock} />
            </span>
          </div>
          {details !== undefined && <div className={timelineClasses['details']}>{details}</div>}
        </li>
      ))}
    </ol>
  )
}

export interface BarPart {
  readonly label: string
  readonly count: number
  readonly color: RoleLook['color'] | 'none'
}

interface StackedBarProps {
  /** What is divided: `Rows`. */
  readonly label: string
  readonly parts: readonly BarPart[]
  /** `none` in a table, which has the numbers in other columns. Default `words`. */
  readonly legend?: 'words' | 'none'
}

/** How a whole is divided; screen readers get the numbers. */
export function StackedBar({ label, parts, legend = 'words' }: StackedBarProps) {
  const filled = parts.filter(({ count }) => count > 0)
  const said = filled.map((part) => `${formatCount(part.count)} ${part.label}`).join(', ')
  return (
    <div className={barClasses['whole']}>
      <div className={barClasses['bar']} role="img" aria-label={`${label}: ${said || 'none'}`}>
        {filled.map((part) => (
          <span
            key={part.label}
            data-color={part.color}
            title={`${formatCount(part.count)} ${part.label}`}
            style={{ flexGrow: part.count }}
          />
        ))}
      </div>
      {legend === 'words' && (
        <ul className={barClasses['legend']} aria-hidden>
          {parts.map((part) => (
            <li key={part.label}>
              <i data-color={part.color} />
              {formatCount(part.count)} {part.label}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
