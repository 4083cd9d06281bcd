import { globSync } from 'node:fs'
import { loadavg } from 'node:os'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseOptions, type Options } from './kit/options.ts'
import { startServer, type Server } from './kit/postgres.ts'
import { jsonReport, textReport, type Report } from './kit/report.ts'

/** What a file `<name>.bench.ts` exports. */
interface Bench {
  runBench(server: Server, options: Options, report: Report): Promise<void>
  /** Server settings that differ from the usual ones. */
  readonly serverSettings?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL('../', import.meta.url))
const files = new Map(
  globSync(['bench/*/*.bench.ts', 'systems/*/bench/*.bench.ts'], { cwd: root })
    .toSorted()
    .map((path) => [basename(path, '.bench.ts'), path]),
)

const [name = '', ...args] = process.argv.slice(2)
const file = files.get(name)
if ([name, ...args].includes('--help')) {
  const names = [...files.keys()].join(', ')
  console.log(
    `npm run bench -- <name> [options]\n\nNames: ${names}\nOptions: docs/operate/benchmarks.md`,
  )
} else if (file === undefined) {
  console.error(`Which benchmark? npm run bench -- ${[...files.keys()].join(' | ')}`)
  process.exitCode = 2
} else {
  const options = parseOptions(args)
  const { runBench, serverSettings = {} } = (await import(`../${file}`)) as Bench
  const report = (options.json ? jsonReport : textReport)(name, (text) =>
    process.stdout.write(text),
  )
  const server = await startServer(serverSettings)
  try {
    report.setting('node', process.version)
    // Above zero, others are using the machine too: the rates are then lower, the ratios less sure.
    report.setting('load average before', (loadavg()[0] ?? 0).toFixed(2))
    for (const [setting, value] of Object.entries(server.settings)) report.setting(setting, value)
    await runBench(server, options, report)
  } finally {
    await server.stop()
  }
}
