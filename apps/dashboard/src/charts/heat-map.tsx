import { Text } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { formatCount, formatShare } from '../format/number.ts'
import { stretchAt, timeText, type PlotTimes, type Stretch } from './plot-data.ts'
import { ChartFrame } from './chart-frame.tsx'
import classes from './heat-map.module.css'

interface HeatRow {
  readonly id: string
  readonly label: string
  readonly answered: readonly number[]
  readonly unanswered: readonly number[]
}

interface HeatMapProps<Row> {
  readonly title: string
  readonly rows: readonly Row[]
  readonly times: PlotTimes
  /** The figure of a row, and what it says. Default: how much was answered in the time that is shown. */
  readonly share?: { readonly title: string; readonly read: (row: Row) => string }
  readonly onPick: (row: Row, stretch: Stretch) => void
}

/** Columns that fit side by side: a longer time has more stretches in each. */
const MOST_COLUMNS = 60

interface Cell {
  readonly from: number
  readonly answered: number
  readonly unanswered: number
}

/** Where messages went, one row each, and whether it answered, one cell for each stretch of time. */
export function HeatMap<Row extends HeatRow>(props: HeatMapProps<Row>) {
  const { title, rows, times, share = ANSWERED, onPick } = props
  const [said, setSaid] = useState<string>()
  const width = Math.ceil(times.count / MOST_COLUMNS)
  return (
    <ChartFrame
      title={title}
      actions={
        <span className={classes['key']} aria-hidden>
          <i data-state="good" /> answered <i data-state="mixed" /> some failed{' '}
          <i data-state="bad" /> all failed
        </span>
      }
    >
      <div className={classes['said']}>
        <span role="status">
          {said ?? `${timeText(times.from, times)} to ${timeText(times.now, times)}`}
        </span>
        {rows.length > 0 && <span>{share.title}</span>}
      </div>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing was sent in this time.
        </Text>
      ) : (
        <div className={classes['scroll']}>
          <table className={classes['map']}>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id} onKeyDown={moveFocus}>
                  <th scope="row" title={row.label}>
                    {row.label}
                  </th>
                  {cellsOf(row, { times, width }).map((cell, i, cells) => {
                    const words = wordsOf(row, cell, times)
                    const say = () => setSaid(words)
                    return (
                      <td key={cell.from} data-state={stateOf(cell)} title={words}>
                        {hasCounts(cell) && (
                          <button
                            type="button"
                            // One stop for each row: arrows go on from there.
                            tabIndex={i === cells.findLastIndex(hasCounts) ? 0 : -1}
                            aria-label={words}
                            onMouseEnter={say}
                            onFocus={say}
                            onClick={() =>
                              onPick(row, {
                                ...stretchAt(times, cell.from),
                                until: stretchAt(times, cell.from + width - 1).until,
                              })
                            }
                          />
                        )}
                      </td>
                    )
                  })}
                  <td className={classes['share']}>{share.read(row)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </ChartFrame>
  )
}

function hasCounts({ answered, unanswered }: Cell): boolean {
  return answered + unanswered > 0
}

function moveFocus({ key, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
  const cells = [...currentTarget.querySelectorAll('button')]
  const at = cells.findIndex((cell) => cell === document.activeElement)
  cells[at + (key === 'ArrowLeft' ? -1 : 1)]?.focus()
}

function cellsOf(
  { answered, unanswered }: HeatRow,
  { times, width }: { times: PlotTimes; width: number },
): Cell[] {
  const sum = (counts: readonly number[], from: number) =>
    counts.slice(from, from + width).reduce((total, n) => total + n, 0)
  return Array.from({ length: Math.ceil(times.count / width) }, (_, i) => {
    const from = i * width
    return { from, answered: sum(answered, from), unanswered: sum(unanswered, from) }
  })
}

function stateOf({ answered, unanswered }: Cell): string {
  if (answered + unanswered === 0) return 'none'
  if (unanswered === 0) return 'good'
  return answered === 0 ? 'bad' : 'mixed'
}

function wordsOf(
  { label }: HeatRow,
  { from, answered, unanswered }: Cell,
  times: PlotTimes,
): string {
  const when = timeText(stretchAt(times, from).from, times)
  return `${label} at ${when}: ${formatCount(answered)} answered, ${formatCount(unanswered)} failed`
}

const ANSWERED = { title: 'Answered in this time', read: shareOf }

function shareOf({ answered, unanswered }: HeatRow): string {
  const total = (counts: readonly number[]) => counts.reduce((sum, n) => sum + n, 0)
  const all = total(answered) + total(unanswered)
  return all === 0 ? '' : formatShare(total(answered) / all)
}
