import { StackedBar } from '../../parts/stacked-bar.tsx'

const AGES = [
  { age: '<1d', label: 'less than a day', color: 'blue' },
  { age: '1-7d', label: '1 to 7 days', color: 'teal' },
  { age: '7-30d', label: '7 to 30 days', color: 'orange' },
  { age: '30d+', label: 'more than 30 days', color: 'red' },
] as const

/** How long exceptions have been open. */
export function AgingBar({ ages }: { ages: Readonly<Record<string, number>> }) {
  const parts = AGES.map(({ age, label, color }) => ({ label, color, count: ages[age] ?? 0 }))
  return <StackedBar label="Open exceptions by age" parts={parts} />
}
