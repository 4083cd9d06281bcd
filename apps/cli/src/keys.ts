import { transaction, type MasterKeys } from '@posthorn/engine'
import { listMasters, rewrapDataKeys, rotateDataKey, shredTenant } from '@posthorn/engine/operate'
import type { KeysOptions, TenantKeysOptions } from './commands/keys.ts'
import { EXIT, Failure, UsageError, type ExitCode } from './exit.ts'
import { operatorName } from './operator.ts'
import { withSession, type Session } from './session.ts'
import type { Terminal } from './terminal.ts'
import { oneLine, pluralise } from './words.ts'

export async function listKeys(terminal: Terminal, options: KeysOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const masters = await listMasters(session.db, masterKeysOf(session))
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

/** Goes on where it was stopped when it is called again. */
export async function rewrapKeys(terminal: Terminal, options: KeysOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const rewrapped = await rewrapDataKeys(session.db, masterKeysOf(session))
    if (options.json) terminal.printJson({ rewrapped })
    else terminal.print(`${pluralise(rewrapped, 'data key')} wrapped with the newest master key`)
    return EXIT.ok
  })
}

export async function rotateKey(terminal: Terminal, options: TenantKeysOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const { tenant, json } = options
    await transaction(session.pool, (tx) => rotateDataKey(tx, masterKeysOf(session), tenant))
    if (json) terminal.printJson({ tenant, rotated: true })
    else terminal.print(oneLine(`${tenant} has a new data key; what is written keeps its own`))
    return EXIT.ok
  })
}

export async function shredKeys(terminal: Terminal, options: TenantKeysOptions): Promise<ExitCode> {
  const { tenant, reason, json } = options
  if (reason === undefined) throw new UsageError('--reason is missing: what is erased says why')
  return withSession(terminal, options, async ({ pool }) => {
    const by = operatorName(options.by, terminal.env)
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
function masterKeysOf({ outboxes }: Session): MasterKeys {
  for (const { encrypt } of outboxes.values()) if (encrypt) return encrypt.keys
  throw new Failure('no outbox of this environment encrypts its payloads')
}
