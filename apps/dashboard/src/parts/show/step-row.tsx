import { IconCircleDashed } from '@tabler/icons-react'
import type { CSSProperties, ReactNode } from 'react'
import classes from './step-row.module.css'
import { ROLE_ICONS, ROLE_LOOKS, type StateRole } from '../../states/role.ts'

export interface RowStep {
  readonly id: string
  readonly name: string
  /** Where it is, in a word or two; beside the colour, never instead of it. */
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
      className={classes['row']}
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
  const Picture = role === undefined ? IconCircleDashed : ROLE_ICONS[role]
  return (
    <li
      data-color={role && ROLE_LOOKS[role].color}
      data-open={role === undefined || undefined}
      {...(isCurrent && { 'aria-current': 'step' })}
      {...(place && {
        style: {
          '--column': place.column,
          '--row': `${place.row} / span ${place.rows}`,
        } as CSSProperties,
      })}
    >
      <div className={classes['name']}>
        <Picture size={15} stroke={2} aria-hidden />
        <span>{name}</span>
      </div>
      <div className={classes['word']}>{word}</div>
      {details !== undefined && <div className={classes['details']}>{details}</div>}
    </li>
  )
}
