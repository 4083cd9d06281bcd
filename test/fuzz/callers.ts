import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { signToken, type Role } from '@posthorn/http'
import { fuzzGraphql } from '@posthorn/fuzz'
import { ensureSchemathesis } from '../../scripts/services/index.mjs'
import type { Ledger } from '../../proof/kit/ledger.ts'
import { shareOut, type Description, type Shard } from './shards.ts'
import { temporaryPostgres } from '@posthorn/postgres'
import { startWholeServer } from '../../proof/kit/stand/whole-server.ts'
import { readOptions, requireOneOf } from '../../proof/kit/options.ts'

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

/** At the edges of schemas, at random, and in chains along the links of the description. */
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful']

/**
 * Fuzzers at once, each with operations of its own: most of their time they wait. They are processes,
 * since what makes requests up breaks in several threads of one.
 */
const FUZZERS = 3

/** Requests to GraphQL for each made-up request to an operation. */
const GRAPHQL = 50

/** Of the operations that are described, so many must have been reached. */
const REACHED = 0.9

interface Stage extends Options {
  readonly folder: string
  readonly signal: AbortSignal
}

/** Made-up requests of a caller of one role, to a server of its own. */
export async function fuzzAs(role: Role, stage: Stage): Promise<Ledger> {
  const library = await ensureSchemathesis()
  const secret = randomBytes(24).toString('hex')
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => postgres.close())
  const server = opened.use(
    await startWholeServer({ DATABASE_URL: postgres.url, POSTHORN_JWT_SECRET: secret }),
  )
  const token = await signToken({ secret, sub: role, org: 'demo', role, expiresIn: '1d' })
  const failures: string[] = []
  const url = `${server.url}/graphql`
  const hasGraphql = (await fetch(url)).status !== 404
  const made = { seed: stage.seed, runs: hasGraphql ? stage.examples * GRAPHQL : 0 }
  const graphql = await fuzzGraphql({ url, token }, made).catch((error: unknown) => {
    if (hasGraphql) failures.push(`GraphQL: ${String(error)}`)
    return 0
  })
  const description = (await (await fetch(`${server.url}/openapi.json`)).json()) as Description
  const shards = shareOut(description, FUZZERS)
  const target = { server, token, library }
  const found = await Promise.all(shards.map((shard) => fuzzApi(target, { ...stage, shard })))
  const sumOf = (name: keyof Found) => found.reduce((sum, each) => sum + each[name], 0)
  const described = shards.reduce((sum, { operations }) => sum + operations, 0)
  return {
    title: `fuzz as ${role}, ${stage.seconds} s for the API, seed ${stage.seed}`,
    lines: [
      {
        name: 'requests to GraphQL',
        value: graphql,
        ...(hasGraphql && { atLeast: stage.examples }),
      },
      { name: 'requests to the API', value: sumOf('cases'), atLeast: stage.requests },
      { name: 'operations of the API', value: described },
      {
        name: 'operations that were reached',
        value: sumOf('operations'),
        atLeast: Math.floor(described * REACHED),
      },
      { name: 'links that were followed', value: sumOf('links'), atLeast: 1 },
      { name: 'answers not as described, 5xx or none', value: sumOf('failures'), must: 0 },
      { name: 'errors of the fuzzer itself', value: sumOf('errors'), must: 0 },
      { name: 'failures of GraphQL', value: failures.length, must: 0 },
    ],
    details: failures,
  }
}

interface Target {
  readonly server: { readonly url: string }
  readonly token: string
  readonly library: string
}

interface Found {
  readonly cases: number
  readonly operations: number
  readonly links: number
  readonly failures: number
  readonly errors: number
}

/** Runs schemathesis, shows what it says, and counts by its summary. */
async function fuzzApi(
  { server, token, library }: Target,
  { seed, examples, seconds, folder, signal, shard }: Stage & { readonly shard: Shard },
): Promise<Found> {
  const child = spawn(
    'python3',
    [
      ...['-m', 'schemathesis.cli', 'run', `${server.url}/openapi.json`],
      ...['--header', `authorization: Bearer ${token}`],
      ...['--phases', PHASES.join(','), '--checks', CHECKS.join(',')],
      ...['--include-path-regex', shard.pattern, '--continue-on-failure', '--no-color'],
      ...['--warnings', 'off', '--request-timeout', '30', '--generation-database', 'none'],
      ...['--seed', String(seed), '--max-examples', String(examples)],
      ...['--max-time', String(seconds)],
    ],
    {
      // It notes there what it found.
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PYTHONPATH: library, PYTHONDONTWRITEBYTECODE: '1' },
      signal,
    },
  )
  let said = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  // As a whole: several of them speak at once.
  process.stdout.write(said)
  const numberBefore = (pattern: RegExp) =>
    Number(pattern.exec(said)?.[1]?.replaceAll(',', '') ?? 0)
  const failures = numberBefore(/(\d[\d,]*) (?:unique )?failures?/)
  return {
    cases: numberBefore(/(\d[\d,]*) generated/),
    operations: numberBefore(/Tested: *(\d[\d,]*)/),
    links: numberBefore(/API Links: *(\d[\d,]*) covered/),
    // A summary that cannot be read must not pass for a run without failures.
    failures: code === 0 ? failures : Math.max(1, failures),
    errors: numberBefore(/(\d[\d,]*) errors?\b/),
  }
}

export interface Options {
  readonly seed: number
  /** The most made-up requests for each operation and role, beside those at the edges. */
  readonly examples: number
  /** How long the API is tried for one role: chains and made-up requests are repeated until then. */
  readonly seconds: number
  /** To the API, of each role: fewer are too few to say anything. */
  readonly requests: number
  readonly roles: readonly Role[]
  /** The parsers alone. */
  readonly parsers: boolean
  /** For all parsers together. */
  readonly minutes: number
}

const ROLES: readonly Role[] = ['platform', 'operator', 'member', 'clerk']

export function parseOptions(): Options {
  const { roles, ...given } = readOptions({
    ...{ seed: 1, examples: 10, seconds: 420, requests: 5_000, minutes: 5 },
    ...{ roles: ROLES.join(), parsers: false },
  })
  const named = roles.split(',').map((role) => requireOneOf('--roles', role, ROLES))
  return { ...given, roles: named }
}
