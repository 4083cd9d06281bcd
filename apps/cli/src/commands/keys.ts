import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { asOperator, examples, onDatabase, withJson, type Ended } from './option.ts'

export interface KeysOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly json?: true
}

export interface TenantKeysOptions extends KeysOptions {
  readonly tenant: string
  readonly by?: string
  readonly reason?: string
}

/** `keys list`, `keys rewrap`, `keys rotate` and `keys shred`. */
export function addKeys(program: Command, terminal: Terminal, ended: Ended): void {
  const keys = program.command('keys').description('Look after the keys of encrypted payloads.')

  const list = keys
    .command('list')
    .description('Which master keys are in use; exit with 3 if one of them is missing here.')
  onDatabase(withJson(list)).action(async (options: KeysOptions) => {
    const { listKeys } = await import('../keys.ts')
    ended(await listKeys(terminal, options))
  })

  const rewrap = keys
    .command('rewrap')
    .description('Wrap every data key with the newest master key; then the old one can go.')
  onDatabase(withJson(rewrap)).action(async (options: KeysOptions) => {
    const { rewrapKeys } = await import('../keys.ts')
    ended(await rewrapKeys(terminal, options))
  })

  const rotate = keys
    .command('rotate')
    .description('Give a tenant a new data key for what it writes from now on.')
    .requiredOption('--tenant <tenant>', 'whose')
  onDatabase(withJson(rotate)).action(async (options: TenantKeysOptions) => {
    const { rotateKey } = await import('../keys.ts')
    ended(await rotateKey(terminal, options))
  })

  const shred = keys
    .command('shred')
    .description("Destroy a tenant's data keys: its payloads cannot be read again, by anyone.")
    .requiredOption('--tenant <tenant>', 'whose')
  onDatabase(withJson(asOperator(shred))).action(async (options: TenantKeysOptions) => {
    const { shredKeys } = await import('../keys.ts')
    ended(await shredKeys(terminal, options))
  })
  examples(keys, [
    'keys list',
    'keys rewrap',
    'keys rotate --tenant acme',
    "keys shred --tenant acme --reason 'contract ended'",
  ])
}
