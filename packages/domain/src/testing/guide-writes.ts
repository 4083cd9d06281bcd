import { readFileSync } from 'node:fs'

const GUIDE = new URL('../../../../docs/guide/09-domain-events.md', import.meta.url)

/** What becomes of events by each call of an ORM, as the guide says: alone, and in a transaction. */
export function writesInGuide(orm: string): [call: string, alone: string, within: string][] {
  const rows = [...readFileSync(GUIDE, 'utf8').matchAll(/^\| (\w+) +\| (.+)$/gm)]
  return rows
    .filter(([, name]) => name === orm)
    .map(([, , rest = '']) => rest.split('|').map((cell) => cell.replaceAll('`', '').trim()))
    .map(([call = '', alone = '', within = '']) => [call, alone, within])
}
