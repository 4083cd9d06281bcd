import type { Contestant } from './contestant.ts'
import { graphileWorker } from './graphile-worker.ts'
import { pgBoss, pgBossTransactional } from './pg-boss.ts'
import { posthorn } from './posthorn.ts'

export const contestants: readonly Contestant[] = [
  posthorn,
  pgBossTransactional,
  pgBoss,
  graphileWorker,
]

export function contestantNamed(name: string): Contestant {
  const found = contestants.find((each) => each.name === name)
  if (found) return found
  throw new Error(`there is no contestant '${name}'`)
}
