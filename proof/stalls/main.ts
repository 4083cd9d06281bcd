import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { temporaryPostgres } from '@posthorn/postgres'
import { change, withCopy } from '../kit/copy.ts'
import { createDatabase } from '../kit/database.ts'
import type { Line } from '../kit/ledger.ts'
import { readOptions } from '../kit/options.ts'
import { runProofs } from '../kit/proof-run.ts'
import { takenOut, type TakenOut } from './bugs.ts'
import { calm } from './scenarios.ts'

/*
 * node proof/stalls/main.ts [--only 'long key']: for each cause of a stall its fix is taken out of a copy of the last
 * commit, and the watchdog, which knows no causes, must notice it there; with the fix, and under everything
 * that only looks like a stall, it must say nothing.
 */
const run = promisify(execFile)
const { only } = readOptions({ only: '' })
const isWanted = (name: string) => only === '' || name === only
/** Long enough for twenty tries, or five with growing pauses. */
const SECONDS = { OUTBOX_STALLED: 10, MESSAGE_STUCK: 30 }
const CALM_SECONDS = 8

let databases = 0

/** What the watchdog said of a scenario in this tree. */
async function lookAt(
  tree: string,
  url: string,
  { name, seconds }: { name: string; seconds: number },
) {
  const own = await createDatabase(url, `stalls_${(databases += 1)}`)
  const args = ['proof/stalls/scenario-process.ts', name, String(seconds)]
  const env = { ...process.env, DATABASE_URL: own }
  const { stdout } = await run(process.execPath, args, { cwd: tree, env })
  const alerts = JSON.parse(stdout) as string[]
  const said = alerts.join(', ') || 'nothing'
  console.log(`${name}: ${said}`)
  return said
}

async function lineOf(copy: string, url: string, [name, bug]: [string, TakenOut]): Promise<Line[]> {
  const look = { name, seconds: SECONDS[bug.rule] }
  const takeBack = await change(copy, bug.changes)
  const without = await lookAt(copy, url, look)
  await takeBack()
  const withFix = await lookAt(copy, url, { ...look, seconds: CALM_SECONDS })
  return [
    { name: `${name}: ${bug.text}`, value: without, must: bug.rule },
    {
      name: `${name}, with the fix${bug.still ? `: ${bug.still.since}` : ''}`,
      value: withFix,
      must: bug.still?.rule ?? 'nothing',
    },
  ]
}

await runProofs([
  {
    name: 'stalls',
    seed: 1,
    limitMs: 1_200_000,
    async run() {
      const postgres = await temporaryPostgres({
        settings: { fsync: 'off', max_connections: '200' },
      })
      try {
        return await withCopy(async (copy) => {
          const lines: Line[] = []
          for (const each of Object.entries(takenOut).filter(([name]) => isWanted(name))) {
            lines.push(...(await lineOf(copy, postgres.url, each)))
          }
          const quiet: Line[] = []
          for (const name of Object.keys(calm).filter(isWanted)) {
            const value = await lookAt(copy, postgres.url, { name, seconds: CALM_SECONDS })
            quiet.push({ name, value, must: 'nothing' })
          }
          const ledgers = [
            { title: 'what the watchdog says without a fix, and with it', lines },
            { title: 'what it says of what is no stall', lines: quiet },
          ]
          return ledgers.filter((ledger) => ledger.lines.length > 0)
        })
      } finally {
        await postgres.close()
      }
    },
  },
])
