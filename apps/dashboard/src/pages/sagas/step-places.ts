import type { SagaStep } from './saga-state.ts'

/** Where a step stands in the grid: its column, its row, and over how many rows. */
interface Place {
  readonly column: number
  readonly row: number
  readonly rows: number
}

/**
 * Where each step stands in the grid: branches of a fork in rows of their own, from the same column
 * on. Undefined for all of them where nothing runs side by side.
 */
export function placesOf(steps: readonly Pick<SagaStep, 'branch'>[]): (Place | undefined)[] {
  if (steps.every(({ branch }) => branch === null)) return []
  const rows = Math.max(...steps.map((_, i) => branchNames(steps, i).length), 1)
  const places: Place[] = []
  let next = 1
  let start = 1
  for (const [i, { branch }] of steps.entries()) {
    const before = steps[i - 1]?.branch
    if (branch === null) {
      places.push({ column: next, row: 1, rows })
      next += 1
      continue
    }
    if (before?.fork !== branch.fork) start = next
    const isSameBranch = before?.fork === branch.fork && before.name === branch.name
    const column = isSameBranch ? (places.at(-1)?.column ?? start) + 1 : start
    places.push({ column, row: branchNames(steps, i).indexOf(branch.name) + 1, rows: 1 })
    next = Math.max(next, column + 1)
  }
  return places
}

/** The branches of the fork that a step belongs to, first one first. */
function branchNames(steps: readonly Pick<SagaStep, 'branch'>[], i: number): string[] {
  const fork = steps[i]?.branch?.fork
  const names = steps.flatMap(({ branch }) =>
    branch !== null && branch.fork === fork ? [branch.name] : [],
  )
  return [...new Set(names)]
}
