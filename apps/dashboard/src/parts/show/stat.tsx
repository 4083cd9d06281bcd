import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import keyValueClasses from './key-value.module.css'
import classes from './stat.module.css'

interface StatProps {
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
