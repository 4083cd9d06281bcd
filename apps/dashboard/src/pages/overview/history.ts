import type { paths } from '../../api/schema.d.ts'
import type { HistoryPoint } from '../../charts/history-chart.tsx'

export type History =
  paths['/api/v1/overview/history']['get']['responses']['200']['content']['application/json']
export type Stretch = History['outboxes'][string][number]

/** One number a stretch, made of those of all outboxes; null where none of them was counted. */
export function joined(
  { outboxes }: History,
  pick: (stretch: Stretch) => number | null,
  join: (values: readonly number[]) => number,
): HistoryPoint[] {
  const stretches = Map.groupBy(Object.values(outboxes).flat(), ({ at }) => at)
  return [...stretches]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([at, all]) => {
      const values = all.flatMap((stretch) => pick(stretch) ?? [])
      return { at, value: values.length === 0 ? null : join(values) }
    })
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
