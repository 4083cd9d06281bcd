import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Options } from '../kit/options.ts'
import { createDatabase, type Server } from '../kit/postgres.ts'
import type { Line, Report } from '../kit/report.ts'

const LOAD = fileURLToPath(new URL('../../apps/dashboard/test/load.ts', import.meta.url))

export const serverSettings = { autovacuum: 'on' }

/**
 * What the dashboard costs while 50 messages a second go through, for `--limit` seconds: two operators
 * with three windows each in a real browser. Requests a second of a window, long tasks of its thread,
 * layout shift, heap at the beginning and the end; and whether one was refused.
 */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const database = await createDatabase(server)
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [LOAD, String(options.limitMs / 1_000)],
      { env: { ...process.env, DATABASE_URL: database.url }, timeout: options.limitMs + 600_000 },
    )
    const lines = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
    report.table(
      `${options.limitMs / 1_000} s, by the window`,
      lines.filter((line) => 'page' in line),
    )
    report.table(
      'load',
      lines.filter((line) => !('page' in line)),
    )
  } finally {
    await database.drop()
  }
}
