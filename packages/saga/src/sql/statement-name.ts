import type { Statement } from '@posthorn/engine'

/** Whether statements that run all the time are prepared; a pooler in transaction mode cannot keep them. */
export type Naming = 'prepared' | 'unprepared'

export function nameStatement(
  name: string,
  { text, values }: Statement,
  naming: Naming,
): Statement {
  return naming === 'prepared' ? { name: `posthorn_saga_${name}`, text, values } : { text, values }
}
