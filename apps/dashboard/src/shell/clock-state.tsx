import { IconClockPlay } from '@tabler/icons-react'
import { formatDuration } from '../format/duration.ts'
import classes from './shell.module.css'

/** Whether the business clock was moved: what is due is then due by that clock. */
export function ClockState({ aheadMs }: { aheadMs: number }) {
  if (aheadMs === 0) return null
  return (
    <div className={classes['state']}>
      <IconClockPlay size={16} stroke={1.6} color="var(--accent)" aria-hidden />
      Clock moved by {formatDuration(aheadMs)}
    </div>
  )
}
