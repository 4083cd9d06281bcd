import type { ReactNode } from 'react'
import { formatCount } from '../format/number.ts'
import type { PermissionName } from '../session/use-permission.ts'
import { ConfirmButton } from './confirm.tsx'
import { outcomeOf } from './outcome.tsx'
import { PermittedButton } from './permitted.tsx'
import { eachText, MOST_AT_ONCE, runEach } from './run-each.ts'
import { useAction } from './use-action.ts'

interface BulkButtonProps<Row> {
  readonly to: PermissionName
  /** Those of the selected rows that it can be done with. */
  readonly rows: readonly Row[]
  /** `Cancel`, and what they are then: `cancelled`. */
  readonly verb: string
  readonly past: string
  readonly nouns: readonly [one: string, many: string]
  readonly run: (row: Row, reason: string | undefined) => Promise<unknown>
  /** Subjects that it changed. */
  readonly changes: readonly string[]
  /** What a row is called where it says which were refused. */
  readonly nameOf: (row: Row) => string
  /** `left` are those that were refused. */
  readonly onDone: (left: readonly Row[]) => void
  /** Default: says how many there are. */
  readonly label?: string | undefined
  /** Which ones the button says they are. Default `selected`. */
  readonly which?: 'selected' | 'shown'
  readonly tone?: 'normal' | 'danger'
  readonly reason?: 'none' | 'optional' | 'required'
  /** What it means. */
  readonly children: ReactNode
}

/** Does the same with every selected row, one after the other; disabled while there is none. */
export function BulkButton<Row>(props: BulkButtonProps<Row>) {
  const { to, verb, past, nouns, run, changes, nameOf, onDone, children } = props
  const { which = 'selected' } = props
  const rows = props.rows.slice(0, MOST_AT_ONCE)
  const act = useAction({
    run: (reason: string | undefined) => runEach(rows, (row) => run(row, reason)),
    done: (each) =>
      outcomeOf({
        what: eachText(each, { nouns, past }),
        refused: each.refused.map(({ row, reason }) => ({ name: nameOf(row), reason })),
      }),
    isGood: ({ refused }) => refused.length === 0,
    changes,
  })
  const count = formatCount(rows.length)
  if (rows.length === 0) {
    return (
      <PermittedButton to={to} variant="default" disabled>
        {verb} {which}
      </PermittedButton>
    )
  }
  return (
    <ConfirmButton
      to={to}
      label={props.label ?? `${verb} ${count} ${which}`}
      title={`${verb} ${count} ${nouns[rows.length === 1 ? 0 : 1]}?`}
      verb={`${verb} ${count}`}
      dismiss="Back"
      {...(props.tone !== undefined && { tone: props.tone })}
      {...(props.reason !== undefined && { reason: props.reason })}
      onConfirm={async (reason) => {
        const { refused } = await act.mutateAsync(reason)
        onDone(refused.map(({ row }) => row))
      }}
    >
      {children}
    </ConfirmButton>
  )
}
