/** A place where steps run side by side: the position of the first, and how many each branch has. */
export interface Fork {
  readonly at: number
  readonly branches: readonly { readonly name: string; readonly steps: number }[]
}

/** Steps that follow each other: positions from `from` up to, not including, `to`. */
export interface Branch {
  readonly name: string | undefined
  readonly from: number
  readonly to: number
}

/** What a saga does as a whole before it goes on: one step, or all branches of a fork. */
export interface Unit {
  readonly from: number
  readonly to: number
  readonly branches: readonly Branch[]
}

/** The unit that a position belongs to. */
export function unitAt(forks: readonly Fork[], position: number): Unit {
  for (const fork of forks) {
    if (position < fork.at) break
    const branches = branchesOf(fork)
    const to = branches.at(-1)?.to ?? fork.at
    if (position < to) return { from: fork.at, to, branches }
  }
  const to = position + 1
  return { from: position, to, branches: [{ name: undefined, from: position, to }] }
}

function branchesOf({ at, branches }: Fork): Branch[] {
  let from = at
  return branches.map(({ name, steps }) => {
    const branch = { name, from, to: from + steps }
    from = branch.to
    return branch
  })
}

/** Whether what a step returns is in the context of another: the units before it, and its own branch. */
export function isSeenBy(forks: readonly Fork[], earlier: number, position: number): boolean {
  if (earlier >= position || forks.length === 0) return earlier < position
  const { from, branches } = unitAt(forks, position)
  if (earlier < from) return true
  const own = branches.find((branch) => position >= branch.from && position < branch.to)
  return own !== undefined && earlier >= own.from
}

/** Whether the same steps stand side by side. */
export function isSameForks(some: readonly Fork[], others: readonly Fork[]): boolean {
  return some.length === others.length && some.every((fork, i) => isSameFork(fork, others[i]))
}

function isSameFork(some: Fork, other: Fork | undefined): boolean {
  return (
    some.at === other?.at &&
    some.branches.length === other.branches.length &&
    some.branches.every(({ steps }, i) => steps === other.branches[i]?.steps)
  )
}
