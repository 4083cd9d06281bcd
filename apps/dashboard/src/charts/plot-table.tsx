import { UnstyledButton } from '@mantine/core'
import { stretchAt, timeText, type PlotMark, type PlotSeries, type PlotTimes } from './plot-data.ts'
import classes from './plot.module.css'

interface PlotTableProps {
  readonly title: string
  readonly series: readonly PlotSeries[]
  readonly times: PlotTimes
  readonly format: (value: number) => string
  readonly marks: readonly PlotMark[]
  readonly onPick: ((index: number) => void) | undefined
}

/** The numbers of a plot, the newest first, in the same room. */
export function PlotTable({ title, series, times, format, marks, onPick }: PlotTableProps) {
  const indexes = Array.from({ length: times.count }, (_, i) => times.count - 1 - i)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- by keys it scrolls only with the focus
    <div className={classes['table']} tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">Marks</th>
          </tr>
        </thead>
        <tbody>
          {indexes.map((i) => {
            const stretch = stretchAt(times, i)
            const here = marks.filter(({ at }) => at >= stretch.from && at < stretch.until)
            const time = `${timeText(stretch.from, times)}${stretch.isRunning ? ' (running)' : ''}`
            return (
              <tr key={i}>
                <th scope="row">
                  {onPick === undefined ? (
                    time
                  ) : (
                    <UnstyledButton className={classes['pick']} onClick={() => onPick(i)}>
                      {time}
                    </UnstyledButton>
                  )}
                </th>
                {series.map(({ id, values }) => {
                  const value = values[i]
                  const isKnown = value !== null && value !== undefined
                  return <td key={id}>{isKnown ? format(value) : '–'}</td>
                })}
                <td>{here.map(({ text }) => text).join(', ')}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
