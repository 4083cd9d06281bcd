import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { signToken, type Role } from '@posthorn/http'
import { fuzzGraphql } from '@posthorn/systems/fuzz'
import { ensureSchemathesis } from '../../scripts/services/index.mjs'
import type { Ledger } from '../crash/ledger.ts'
import type { Options } from './options.ts'
import { startFuzzed, type Fuzzed } from './server.ts'

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

/** A stream does not end; a moved clock and emptied simulators would take the ground from the rest. */
const LEFT_OUT = '/stream$|^/sim/clock|^/sim$'

/** Requests to GraphQL for each made-up request to an operation. */
const GRAPHQL = 50

interface Stage extends Options {
  readonly folder: string
  readonly signal: AbortSignal
}

/** Made-up requests of a caller of one role, to a server of its own. */
export async function fuzzAs(role: Role, stage: Stage): Promise<Ledger> {
  const library = await ensureSchemathesis()
  const secret = randomBytes(24).toString('hex')
  await using server = await startFuzzed(secret)
  const token = await signToken({ secret, sub: role, org: 'demo', role, expiresIn: '1d' })
  const failures: string[] = []
  const graphql = await fuzzGraphql(
    { url: `${server.url}/graphql`, token },
    { seed: stage.seed, runs: stage.examples * GRAPHQL },
  ).catch((error: unknown) => {
    failures.push(`GraphQL: ${String(error)}`)
    return 0
  })
  const found = await fuzzApi({ server, token, library }, stage)
  return {
    title: `fuzz as ${role}, ${stage.seconds} s for the API at the most, seed ${stage.seed}`,
    lines: [
      { name: 'requests to GraphQL', value: graphql, atLeast: 1 },
      { name: 'requests to the API', value: found.cases, atLeast: 1 },
      { name: 'operations of the API that were reached', value: found.operations },
      { name: 'answers of the API not as described, 5xx or none', value: found.failures, must: 0 },
      { name: 'errors of the fuzzer itself', value: found.errors, must: 0 },
      { name: 'failures of GraphQL', value: failures.length, must: 0 },
    ],
    details: failures,
  }
}

interface Target {
  readonly server: Fuzzed
  readonly token: string
  readonly library: string
}

interface Found {
  readonly cases: number
  readonly operations: number
  readonly failures: number
  readonly errors: number
}

/** Runs schemathesis, shows what it says, and counts by its summary. */
async function fuzzApi(
  { server, token, library }: Target,
  { seed, examples, seconds, folder, signal }: Stage,
): Promise<Found> {
  const child = spawn(
    'python3',
    [
      ...['-m', 'schemathesis.cli', 'run', `${server.url}/openapi.json`],
      ...['--header', `authorization: Bearer ${token}`],
      ...['--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join(',')],
      ...['--exclude-path-regex', LEFT_OUT, '--continue-on-failure', '--no-color'],
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
  child.stdout.on('data', (text: string) => {
    process.stdout.write(text)
    said += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const numberBefore = (pattern: RegExp) =>
    Number(pattern.exec(said)?.[1]?.replaceAll(',', '') ?? 0)
  const failures = numberBefore(/(\d[\d,]*) (?:unique )?failures?/)
  return {
    cases: numberBefore(/(\d[\d,]*) generated/),
    operations: numberBefore(/Tested: *(\d[\d,]*)/),
    // A summary that cannot be read must not pass for a run without failures.
    failures: code === 0 ? failures : Math.max(1, failures),
    errors: numberBefore(/(\d[\d,]*) errors?\b/),
  }
}
