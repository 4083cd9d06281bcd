import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './stat.module.css'

export interface StatProps {
  readonly label: string
  readonly value: ReactNode
  /** What the number means, or how it changed. */
  readonly hint?: ReactNode
  /** A number that needs attention. */
  readonly tone?: 'normal' | 'warning' | 'bad'
}

/** One number of a strip of them. */
export function Stat({ label, value, hint, tone = 'normal' }: StatProps) {
  return (
    <div className={classes['stat']} data-tone={tone}>
      <dt>{label}</dt>
      <dd>
        {value}
        {hint !== undefined && (
          <Text size="xs" c="dimmed" component="div">
            {hint}
          </Text>
        )}
      </dd>
    </div>
  )
}

export function StatStrip({ children }: { children: ReactNode }) {
  return <dl className={classes['strip']}>{children}</dl>
}
