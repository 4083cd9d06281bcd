import { explain } from '../trouble.ts'

/** `warn`: it works, and will hurt; `fail`: it does not work. */
export type Level = 'ok' | 'warn' | 'fail'

/** What one check found. */
export interface Finding {
  readonly check: string
  readonly level: Level
  readonly says: string
  /** What to do about it. */
  readonly todo?: string
}

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says }
}

export function warn(check: string, says: string, todo: string): Finding {
  return { check, level: 'warn', says, todo }
}

export function fail(check: string, says: string, todo: string): Finding {
  return { check, level: 'fail', says, todo }
}

/** Runs a check; one that breaks is a finding too. */
export async function examine(
  check: string,
  work: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    const found = await work()
    return Array.isArray(found) ? found : [found as Finding]
  } catch (error) {
    return [fail(check, explain(error), 'see why, then run `posthorn doctor` again')]
  }
}
