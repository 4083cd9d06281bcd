import type { Terminal } from '../terminal.ts'
import { counted } from '../words.ts'
import type { Finding, Level } from './finding.ts'

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** A finding as lines: what was found, below it what to do, and the SQL or command for it. */
export function findingLines(finding: Finding, { paint }: Pick<Terminal, 'paint'>): string[] {
  const { check, level, says, todo, run } = finding
  const lines = [`${paint(STYLES[level], level.padEnd(4))}  ${check}: ${says}`]
  if (todo !== undefined) lines.push(`      → ${todo}`)
  if (run !== undefined) lines.push(`        ${run}`)
  return lines
}

export function summaryOf(findings: readonly Finding[]): string {
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length
  const [failed, warned] = [count('fail'), count('warn')]
  if (failed + warned === 0) return 'all checks passed'
  const parts = [
    failed > 0 ? `${counted(failed, 'check')} failed` : '',
    warned > 0 ? counted(warned, 'warning') : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}
