import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { signToken, type Role } from '@posthorn/http'
import { ensureSchemathesis } from '../../scripts/services/index.mjs'
import { parseOptions, type Options } from './options.ts'
import { startFuzzed } from './server.ts'

/*
 * npm run fuzz [-- --seed 2 --examples 50]: requests made up by schemathesis from what the server
 * says of itself, by an operator and by a member; every answer must be one that is described, and
 * none a 5xx.
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

const options = parseOptions(process.argv.slice(2))
const library = await ensureSchemathesis()
const secret = randomBytes(24).toString('hex')
const server = await startFuzzed(secret)
const failed: Role[] = []
try {
  for (const role of ['platform', 'clerk'] as const) {
    const token = await signToken({ secret, sub: role, org: 'demo', role, expiresIn: '1d' })
    if ((await fuzz(token, options)) !== 0) failed.push(role)
  }
} finally {
  await server.close()
}
console.log(
  `\n${failed.length > 0 ? `BROKEN for ${failed.join(', ')}` : 'held'}, seed ${options.seed}`,
)
process.exit(failed.length > 0 ? 1 : 0)

async function fuzz(token: string, { seed, examples, seconds }: Options): Promise<number> {
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
