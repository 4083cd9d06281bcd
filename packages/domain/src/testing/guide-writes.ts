import { readFileSync } from 'node:fs'

const GUIDE = new URL('../../../../docs/guide/09-domain-events.md', import.meta.url)

/** What becomes of events by each call of an ORM, as the guide says: alone, and in a transaction. */
export function writesInGuide(orm: string): [call: string, alone: string, within: string][] {
  const rows = [...readFileSync(GUIDE, 'utf8').matchAll(/^\| (\w+) +\| (.+)$/gm)]
  return rows
    .filter(([, name]) => name === orm)
    .flatMap(([, , rest = '']) => {
      const [calls = '', alone = '', within = ''] = rest.split('|')
      const result = (cell: string) => cell.replaceAll('`', '').trim()
      return [...calls.matchAll(/`([^`]+)`/g)].map(([, call = '']): [string, string, string] => [
        call,
        result(alone),
        result(within),
      ])
    })
}
