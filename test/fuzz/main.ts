import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { signToken } from '@posthorn/http'
import { fuzzGraphql, fuzzParser, sharedParsers } from '@posthorn/systems/fuzz'
import { evidenceParsers } from '@posthorn/systems/fuzz/evidence'
import { messagesParsers } from '@posthorn/systems/fuzz/messages'
import { paymentsParsers } from '@posthorn/systems/fuzz/payments'
import { ensureSchemathesis } from '../../scripts/services/index.mjs'
import { parseOptions, type Options } from './options.ts'
import { startFuzzed, type Fuzzed } from './server.ts'

/*
 * npm run fuzz [-- --seed 2 --examples 50 --roles operator,member]: requests made up by schemathesis
 * from what the server says of itself, and GraphQL made up from its schema, by callers of several
 * roles; every answer must be one that is described, and none a 5xx.
 *
 * npm run fuzz -- --parsers --minutes 10: damaged files, archives, signatures, events and webhooks
 * for every parser of strangers' input; each is read, or refused as its parser refuses.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

/** A stream does not end; a moved clock and emptied simulators would take the ground from the rest. */
const LEFT_OUT = '/stream$|^/sim/clock|^/sim$'

/** Nothing that was read is kept, so this does not depend on how long it takes. */
const MOST_HEAP_MB = 600

const options = parseOptions(process.argv.slice(2))
const failed = options.parsers ? await fuzzParsers() : await fuzzServer()
console.log(
  `\n${failed.length > 0 ? `BROKEN for ${failed.join(', ')}` : 'held'}, seed ${options.seed}`,
)
process.exit(failed.length > 0 ? 1 : 0)

async function fuzzParsers(): Promise<string[]> {
  await using evidence = await evidenceParsers()
  const parsers = [...sharedParsers, ...evidence.parsers, ...messagesParsers, ...paymentsParsers]
  const withinMs = (options.minutes * 60_000) / parsers.length
  const broken: string[] = []
  for (const parser of parsers) {
    try {
      const seed = Number(options.seed)
      const inputs = await fuzzParser(parser, { seed, runs: Number.MAX_SAFE_INTEGER, withinMs })
      const heap = Math.round(process.memoryUsage().heapUsed / 2 ** 20)
      console.log(`${parser.name}: ${inputs} inputs, ${heap} MB in use`)
      if (heap > MOST_HEAP_MB) broken.push(`${parser.name} keeps what it read`)
    } catch (error) {
      console.log(`${parser.name}: ${String(error)}`)
      broken.push(parser.name)
    }
  }
  return broken
}

async function fuzzServer(): Promise<string[]> {
  const library = await ensureSchemathesis()
  const secret = randomBytes(24).toString('hex')
  const server = await startFuzzed(secret)
  const broken: string[] = []
  try {
    for (const role of options.roles) {
      const token = await signToken({ secret, sub: role, org: 'demo', role, expiresIn: '1d' })
      console.log(`\nas ${role}`)
      if (!(await fuzzQueries(server, token))) broken.push(`GraphQL as ${role}`)
      if ((await fuzzApi({ server, token, library }, options)) !== 0) broken.push(role)
    }
  } finally {
    await server.close()
  }
  return broken
}

async function fuzzQueries({ url }: Fuzzed, token: string): Promise<boolean> {
  const runs = Number(options.examples) * 50
  try {
    const sent = await fuzzGraphql(
      { url: `${url}/graphql`, token },
      { seed: Number(options.seed), runs },
    )
    console.log(`GraphQL: ${sent} requests`)
    return true
  } catch (error) {
    console.log(String(error))
    return false
  }
}

interface Target {
  readonly server: Fuzzed
  readonly token: string
  readonly library: string
}

async function fuzzApi(
  { server, token, library }: Target,
  { seed, examples, seconds }: Options,
): Promise<number> {
  const child = spawn(
    'python3',
    [
      ...['-m', 'schemathesis.cli', 'run', `${server.url}/openapi.json`],
      ...['--header', `authorization: Bearer ${token}`],
      ...['--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join(',')],
      ...['--exclude-path-regex', LEFT_OUT, '--continue-on-failure', '--no-color'],
      ...['--warnings', 'off', '--request-timeout', '30', '--generation-database', 'none'],
      ...['--seed', seed, '--max-examples', examples, '--max-time', seconds],
    ],
    {
      // It notes there what it found.
      cwd: server.folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PYTHONPATH: library, PYTHONDONTWRITEBYTECODE: '1' },
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
