import type { Role } from '@posthorn/http'
import { Option, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, onDatabase, parseDuration, withJson, type Ended } from './option.ts'

/** As the server knows them; its package is imported only by a command that needs it. */
const ROLES = {
  viewer: true,
  clerk: true,
  member: true,
  approver: true,
  admin: true,
  operator: true,
  platform: true,
} satisfies Record<Role, true>

export interface TokenOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly sub?: string
  readonly org?: string
  readonly role?: Role
  readonly expires: string
  readonly json?: true
}

export function addToken(program: Command, terminal: Terminal, ended: Ended): void {
  const token = program
    .command('token')
    .description('Sign a token for the API and the dashboard, with the secret of the server.')
    .option('--sub <user>', 'who it is for (default: dev; production has none)')
    .option('--org <tenant>', 'which tenant (default: demo; production has none)')
    .addOption(
      new Option(
        '--role <role>',
        'what it may do (default: platform; production has none)',
      ).choices(Object.keys(ROLES)),
    )
    .option('--expires <duration>', 'how long it is valid', parseDuration, '12h')
  onDatabase(withJson(token)).action(async (options: TokenOptions) => {
    const { printToken } = await import('../token.ts')
    ended(await printToken(terminal, options))
  })
  examples(token, [
    'token',
    'token --sub ada --org shop --role clerk --expires 30m',
    'token --json',
  ])
}
