import { transaction, type MasterKeys } from '@posthorn/engine'
import { listMasters, rewrapDataKeys, rotateDataKey, shredTenant } from '@posthorn/operate'
import {
  asOperator,
  examples,
  onDatabase,
  withJson,
  type DatabaseOptions,
  type Define,
  type OperatorOptions,
} from '../options.ts'
import { EXIT, Failure, UsageError, type ExitCode } from '../errors.ts'
import { operatorOf, withSession, type Session } from '../session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { oneLine, pluralise } from '../terminal/words.ts'

interface TenantKeysOptions extends OperatorOptions {
  readonly tenant: string
}

/** `keys list`, `keys rewrap`, `keys rotate` and `keys shred`. */
export const defineKeys: Define = (command, { terminal, end }) => {
  const list = command
    .command('list')
    .description('List the master keys in use; exit with 3 if one is missing here.')
  onDatabase(withJson(list)).action(async (options: DatabaseOptions) =>
    end(await listKeys(terminal, options)),
  )
  const rewrap = command
    .command('rewrap')
    .description(
      'Wrap every data key with the newest master key, so that older ones can be removed.',
    )
  onDatabase(withJson(rewrap)).action(async (options: DatabaseOptions) =>
    end(await rewrapKeys(terminal, options)),
  )
  const rotate = command
    .command('rotate')
    .description('Give a tenant a new data key for later messages.')
    .requiredOption('--tenant <tenant>', 'the owner of the keys')
  onDatabase(withJson(rotate)).action(async (options: TenantKeysOptions) =>
    end(await rotateKey(terminal, options)),
  )
  const shred = command
    .command('shred')
    .description("Destroy a tenant's data keys: its payloads can never be read again.")
    .requiredOption('--tenant <tenant>', 'the owner of the keys')
  onDatabase(withJson(asOperator(shred))).action(async (options: TenantKeysOptions) =>
    end(await shredKeys(terminal, options)),
  )
  examples(command, [
    'keys list',
    'keys rewrap',
    'keys rotate --tenant acme',
    "keys shred --tenant acme --reason 'contract ended'",
  ])
}

async function listKeys(terminal: Terminal, options: DatabaseOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const masters = await listMasters(session.db, findMasterKeys(session))
    if (options.json) {
      const items = masters.map(({ problem = null, ...each }) => ({ ...each, problem }))
      terminal.printJson({ items })
    } else if (masters.length === 0) terminal.print('nothing has been encrypted yet')
    for (const { master, keys, problem } of options.json ? [] : masters) {
      const state = problem === undefined ? 'can be used here' : `CANNOT BE USED HERE: ${problem}`
      terminal.print(oneLine(`${master}  ${pluralise(keys, 'data key')}  ${state}`))
    }
    const isMissing = masters.some(({ problem }) => problem !== undefined)
    return isMissing ? EXIT.negative : EXIT.ok
  })
}

/** Continues where it was stopped when it is called again. */
async function rewrapKeys(terminal: Terminal, options: DatabaseOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const rewrapped = await rewrapDataKeys(session.db, findMasterKeys(session))
    if (options.json) terminal.printJson({ rewrapped })
    else terminal.print(`${pluralise(rewrapped, 'data key')} wrapped with the newest master key`)
    return EXIT.ok
  })
}

async function rotateKey(terminal: Terminal, options: TenantKeysOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const { tenant, json } = options
    await transaction(session.pool, (tx) => rotateDataKey(tx, findMasterKeys(session), tenant))
    if (json) terminal.printJson({ tenant, rotated: true })
    else terminal.print(oneLine(`${tenant} has a new data key; stored payloads keep theirs`))
    return EXIT.ok
  })
}

async function shredKeys(terminal: Terminal, options: TenantKeysOptions): Promise<ExitCode> {
  const { tenant, reason, json } = options
  if (reason === undefined)
    throw new UsageError('--reason is missing: the audit keeps why data was destroyed')
  return withSession(terminal, options, async ({ pool }) => {
    const { by } = operatorOf(terminal, options)
    const result = await transaction(pool, (tx) => shredTenant(tx, { tenant, by, reason }))
    if (result.kind === 'held') {
      throw new Failure(oneLine(`${tenant} is under a legal hold; its keys were not destroyed`))
    }
    if (json) terminal.printJson({ tenant, destroyed: result.keys })
    else terminal.print(oneLine(`${pluralise(result.keys, 'data key')} of ${tenant} destroyed`))
    return EXIT.ok
  })
}

/** All outboxes of a database share their tenants' keys, and so the master keys. */
function findMasterKeys({ outboxes }: Session): MasterKeys {
  for (const { encrypt } of outboxes.values()) if (encrypt) return encrypt.keys
  throw new Failure('no outbox of this environment encrypts its payloads')
}
