import type { Outbox, Queryable } from '@posthorn/engine'
import { listMasters } from '@posthorn/engine/operate'
import { pluralise } from '../words.ts'
import { fail, ok, type Finding } from './finding.ts'

/** Whether what is encrypted can be read here. */
export async function checkKeys(db: Queryable, outboxes: readonly Outbox[]): Promise<Finding[]> {
  const encrypting = outboxes.filter(({ encrypt }) => encrypt !== undefined)
  const keys = encrypting[0]?.encrypt?.keys
  if (!keys) return []
  const masters = await listMasters(db, keys)
  const missing = masters.flatMap(({ master, keys: count, problem }) =>
    problem === undefined
      ? []
      : [
          fail(
            'encryption',
            `${pluralise(count, 'data key')} wrapped with ${master} cannot be used: ${problem}`,
            'put that master key back behind the newest one; messages wait until it is there',
          ),
        ],
  )
  if (missing.length > 0) return missing
  const count = masters.reduce((sum, each) => sum + each.keys, 0)
  return [ok('encryption', `${pluralise(count, 'data key')} of ${encrypting.length} outboxes`)]
}
