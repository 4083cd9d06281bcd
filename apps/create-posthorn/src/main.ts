import { parseArgs } from 'node:util'
import { DESTINATIONS, makeService, ORMS } from './index.ts'

const USAGE = `npm create posthorn [folder] [-- --orm ${ORMS.join('|')}] [--to ${DESTINATIONS.join('|')}]

Makes a small service in a folder that is empty or new: an outbox, its messages, tests.`

/** What `npm create posthorn` runs. Data goes to standard output, talk to standard error. */
export async function main({ argv, stdout, stderr }: NodeJS.Process): Promise<void> {
  const refuse = (reason: string) => {
    stderr.write(`${reason}\n`)
    process.exitCode = 2
  }
  const asked = read(argv.slice(2))
  if (asked instanceof Error) return refuse(`${asked.message}\n\n${USAGE}`)
  const { folder, orm, to, help } = asked
  if (help) return void stdout.write(`${USAGE}\n`)
  const knownOrm = ORMS.find((name) => name === orm)
  const knownTo = DESTINATIONS.find((name) => name === to)
  if (knownOrm === undefined) return refuse(`--orm is one of ${ORMS.join(', ')}; not '${orm}'`)
  if (knownTo === undefined) return refuse(`--to is one of ${DESTINATIONS.join(', ')}; not '${to}'`)
  const made = await makeService(folder, { orm: knownOrm, to: knownTo })
  if (made.kind === 'refused') return refuse(made.reason)
  stdout.write(`${made.files.join('\n')}\n`)
  stderr.write(`\n${made.next}\n`)
}

function read(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        orm: { type: 'string', default: 'pg' },
        to: { type: 'string', default: 'handlers' },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    })
    const [folder = '.', ...more] = positionals
    if (more.length > 0) return new Error(`one folder, not also ${more.join(', ')}`)
    return { folder, ...values }
  } catch (error) {
    return error as Error
  }
}
