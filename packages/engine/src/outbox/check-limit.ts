import { toMs } from '../duration.ts'
import type { OutboxDefinition } from './definition.ts'

type Wrong = (field: string, problem: string) => never

/** What a limit can count, and where it can. */
export function checkLimit<Row>(definition: OutboxDefinition<Row>, wrong: Wrong): void {
  const { limit } = definition
  if (!limit) return
  if (limit.atOnce === undefined && limit.rate === undefined) wrong('limit', 'needs atOnce or rate')
  for (const field of ['atOnce', 'rate'] as const) {
    const value = limit[field]
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 1_000_000)) {
      wrong(`limit.${field}`, 'must be a whole number from 1 to 1000000')
    }
  }
  checkPer(limit, wrong)
  if (definition.storage === 'log') {
    wrong('limit', 'must be left out: a log is claimed by runs of a bucket, not by messages')
  }
  if (limit.by !== undefined) checkBy(definition, limit.by, wrong)
}

function checkPer({ rate, per }: { rate?: number; per?: string }, wrong: Wrong): void {
  if (per === undefined) return
  if (rate === undefined) wrong('limit.per', 'needs limit.rate')
  let ms = 0
  try {
    ms = toMs(per as never)
  } catch {
    wrong('limit.per', `"${per}" is not a duration like "30s" or "6h"`)
  }
  if (ms < 10 || ms > 86_400_000) wrong('limit.per', 'must be from 10ms to 1d')
}

/** What has no room goes back as it was: the claim must have changed nothing but its lease. */
function checkBy<Row>(
  { fair, states, counter, columns }: OutboxDefinition<Row>,
  by: string,
  wrong: Wrong,
): void {
  if (fair?.by !== by) {
    wrong('limit.by', `needs fair: { by: '${by}' }, so that a claim goes past keys without room`)
  }
  if (states.claimed !== undefined) {
    wrong('limit.by', 'must be left out with a claimed state: a claim is a change of state there')
  }
  if (counter.bumps !== 'on-failure' || columns.attemptId !== undefined) {
    wrong('limit.by', 'needs counter.bumps "on-failure" and no columns.attemptId')
  }
}
