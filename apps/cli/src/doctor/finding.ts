import { explain } from '../errors.ts'

/** `warn`: it works, and will hurt; `fail`: it does not work. */
export type Level = 'ok' | 'warn' | 'fail'

/** What to do about a finding. */
export interface Advice {
  readonly todo: string
  /** The SQL or the command that does it, ready to be pasted. */
  readonly run?: string
}

/** What one check found. */
export interface Finding extends Partial<Advice> {
  readonly check: string
  readonly level: Level
  readonly says: string
}

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says }
}

export function warn(check: string, says: string, advice: Advice | string): Finding {
  return { check, level: 'warn', says, ...adviceOf(advice) }
}

export function fail(check: string, says: string, advice: Advice | string): Finding {
  return { check, level: 'fail', says, ...adviceOf(advice) }
}

function adviceOf(advice: Advice | string): Advice {
  return typeof advice === 'string' ? { todo: advice } : advice
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
    return [fail(check, explain(error), 'fix it, then run `posthorn doctor` again')]
  }
}

export function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'fail')
}
