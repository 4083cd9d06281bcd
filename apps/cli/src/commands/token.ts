import { toMs, type Duration } from '@posthorn/engine'
import { ROLES, signToken, type Role } from '@posthorn/http'
import { isProduction, loadSystems, readConfiguration, secretOf } from '@posthorn/server'
import { Option } from 'commander'
import {
  examples,
  onDatabase,
  parseDuration,
  withJson,
  type DatabaseOptions,
  type Define,
} from '../options.ts'
import { variablesOf } from '../environment.ts'
import { EXIT, UsageError, type ExitCode } from '../errors.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface TokenOptions extends DatabaseOptions {
  readonly sub?: string
  readonly org?: string
  readonly role?: Role
  readonly expires: string
}

export const defineToken: Define = (command, { terminal, end }) => {
  command
    .option('--sub <user>', 'the user (default: dev; required in production)')
    .option('--org <tenant>', 'the tenant (default: demo; required in production)')
    .addOption(
      new Option('--role <role>', 'the role (default: platform; required in production)').choices(
        ROLES,
      ),
    )
    .option('--expires <duration>', 'how long it is valid', parseDuration, '12h')
  onDatabase(withJson(command)).action(async (options: TokenOptions) =>
    end(await printToken(terminal, options)),
  )
  examples(command, [
    'token',
    'token --sub ada --org shop --role clerk --expires 30m',
    'token --json',
  ])
}

/** Owners forget tokens that live longer. */
const LONGEST = '366d'

/** Signs with the secret that the server of this environment checks with. */
async function printToken(terminal: Terminal, options: TokenOptions): Promise<ExitCode> {
  const env = variablesOf(terminal, options)
  const claims = claimsOf(options, isProduction(env) ? 'production' : 'development')
  const secret = await secretOf(readConfiguration(env, await loadSystems(env)))
  if (secret === undefined) {
    throw new UsageError('POSTHORN_JWKS_URL is set: tokens come from the issuer of those keys')
  }
  const token = await signToken({ secret, ...claims })
  if (!options.json) {
    terminal.print(token)
    return EXIT.ok
  }
  const { expiresIn, ...who } = claims
  const expiresAt = new Date(Date.now() + toMs(expiresIn))
  terminal.printJson({ token, ...who, expiresAt })
  return EXIT.ok
}

/** Production has no defaults: a token with the wrong rights is worse than none. */
function claimsOf({ sub, org, role, expires }: TokenOptions, mode: 'production' | 'development') {
  if (mode === 'production' && (sub === undefined || org === undefined || role === undefined)) {
    throw new UsageError('in production a token needs --sub, --org and --role')
  }
  const expiresIn = expires as Duration
  if (toMs(expiresIn) > toMs(LONGEST)) throw new UsageError(`--expires is at most ${LONGEST}`)
  if (toMs(expiresIn) < 1_000) throw new UsageError('--expires is at least 1s')
  return {
    sub: name('--sub', sub ?? 'dev'),
    org: name('--org', org ?? 'demo'),
    role: role ?? 'platform',
    expiresIn,
  }
}

/** As the server takes them: what it would refuse must not be signed. */
function name(option: string, value: string): string {
  const isName = value.length > 0 && value.length <= 255 && value.isWellFormed()
  if (isName && !/\p{Cc}/u.test(value)) return value
  throw new UsageError(`${option} is a name of 1 to 255 characters`)
}
