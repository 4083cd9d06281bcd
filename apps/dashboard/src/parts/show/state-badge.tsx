import { IconPointFilled } from '@tabler/icons-react'
import classes from './state-badge.module.css'
import { ROLE_ICONS, ROLE_LOOKS, type StateRole } from '../../states/role.ts'

export interface StateBadgeProps {
  /** As its table calls it. */
  readonly state: string
  /** What it means; undefined for a word that means nothing in particular. */
  readonly role: StateRole | undefined
}

/** A state with the colour, icon and plain word of its role. */
export function StateBadge({ state, role }: StateBadgeProps) {
  const Picture = role === undefined ? IconPointFilled : ROLE_ICONS[role]
  const look = role && ROLE_LOOKS[role]
  return (
    <span className={classes['badge']} data-color={look?.color} title={look?.word}>
      <Picture size={13} stroke={2} aria-hidden />
      <span>{state}</span>
    </span>
  )
}
