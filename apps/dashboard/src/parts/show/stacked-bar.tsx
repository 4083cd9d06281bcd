import { formatCount } from '../../format/number.ts'
import type { RoleLook } from '../../states/role.ts'
import classes from './stacked-bar.module.css'

export interface BarPart {
  readonly label: string
  readonly count: number
  readonly color: RoleLook['color'] | 'none'
}

export interface StackedBarProps {
  /** What is divided: `Rows`. */
  readonly label: string
  readonly parts: readonly BarPart[]
  /** `none` in a table, where the numbers stand beside it. Default `words`. */
  readonly legend?: 'words' | 'none'
}

/** How a whole is divided; screen readers get the numbers. */
export function StackedBar({ label, parts, legend = 'words' }: StackedBarProps) {
  const filled = parts.filter(({ count }) => count > 0)
  const said = filled.map((part) => `${formatCount(part.count)} ${part.label}`).join(', ')
  return (
    <div className={classes['whole']}>
      <div className={classes['bar']} role="img" aria-label={`${label}: ${said || 'none'}`}>
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
        <ul className={classes['legend']} aria-hidden>
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
