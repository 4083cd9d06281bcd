import type { ReactNode } from 'react'
import classes from './key-value.module.css'

/** Facts, one to a line; what is undefined is left out. */
export function KeyValue({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={classes['facts']}>
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
