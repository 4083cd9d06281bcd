import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, onDatabase, withJson, type Ended } from './option.ts'

export interface AuditOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly json?: true
  readonly head?: string
}

/** `audit verify`. */
export function addAudit(program: Command, terminal: Terminal, ended: Ended): void {
  const audit = program.command('audit').description('Check the records of who did what.')
  const verify = audit
    .command('verify')
    .description('Check every audit row against its seal; exit with 3 if one is not as it was.')
    .option('--head <hash>', 'the hash of a seal from before, which must still be there')
  onDatabase(withJson(verify)).action(async (options: AuditOptions) => {
    const { verifyAudit } = await import('../audit.ts')
    ended(await verifyAudit(terminal, options))
  })
  examples(verify, ['audit verify', 'audit verify --json'])
}
