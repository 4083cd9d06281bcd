import { useNow } from '../../parts/now.tsx'
import { Panel } from '../../parts/panel.tsx'
import { formatDuration } from '../../format/duration.ts'
import { isOver, lookOfStep, type SagaDetails } from './saga-state.ts'
import classes from './saga-times.module.css'

interface Bar {
  readonly id: string
  readonly what: string
  readonly kind: 'done' | 'refused' | 'undone'
  readonly from: number
  /** Undefined while it goes on. */
  readonly to: number | undefined
}

/** When each step began and how long it took, from the start of the saga to its end. */
export function SagaTimes({ saga }: { saga: SagaDetails }) {
  const { wall } = useNow()
  const bars = barsOf(saga)
  if (bars.length === 0) return null
  const end = (bar: Bar) => bar.to ?? (isOver(saga) ? bar.from : wall)
  const start = Math.min(...bars.map(({ from }) => from))
  const whole = Math.max(...bars.map(end)) - start || 1
  return (
    <Panel title="Times">
      <table className={classes['times']}>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Took</th>
            <th scope="col">
              <span className={classes['hidden']}>From start to end</span>
              <span className={classes['axis']} aria-hidden>
                {[0, 0.25, 0.5, 0.75, 1].map((part) => (
                  <span key={part}>{formatDuration(whole * part)}</span>
                ))}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.id}>
              <th scope="row">{bar.what}</th>
              <td>{formatDuration(end(bar) - bar.from)}</td>
              <td
                className={classes['lane']}
                aria-label={`from ${formatDuration(bar.from - start)} on`}
                title={`from ${formatDuration(bar.from - start)} to ${formatDuration(end(bar) - start)}`}
              >
                <div
                  className={classes['bar']}
                  data-kind={bar.kind}
                  data-open={bar.to === undefined || undefined}
                  style={{
                    marginLeft: `${((bar.from - start) / whole) * 100}%`,
                    width: `${((end(bar) - bar.from) / whole) * 100}%`,
                  }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

/** What was done and then what was undone, each in the order in which it began. */
export function barsOf({ steps }: Pick<SagaDetails, 'steps'>): Bar[] {
  const done = steps.flatMap(({ name, status, skipped, startedAt, endedAt }) => {
    const kind = lookOfStep({ status, skipped }).role === 'dead' ? 'refused' : 'done'
    return barOf({ id: name, what: name, kind }, startedAt, endedAt)
  })
  const undone = steps.flatMap(({ name, undoStartedAt, undoneAt }) =>
    barOf({ id: `undo ${name}`, what: `undo ${name}`, kind: 'undone' }, undoStartedAt, undoneAt),
  )
  return [...done, ...undone].toSorted((one, other) => one.from - other.from)
}

function barOf(
  bar: Pick<Bar, 'id' | 'what' | 'kind'>,
  from: string | null,
  to: string | null,
): Bar[] {
  if (from === null) return []
  return [{ ...bar, from: Date.parse(from), to: to === null ? undefined : Date.parse(to) }]
}
