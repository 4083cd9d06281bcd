import { sealAudits, verifyAudits } from '@posthorn/operate'
import { type AuditFinding } from '@posthorn/operate/internal'
import {
  examples,
  given,
  onDatabase,
  withJson,
  type DatabaseOptions,
  type Define,
} from '../options.ts'
import { EXIT, UsageError, type ExitCode } from '../errors.ts'
import { withSession } from '../session.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface AuditOptions extends DatabaseOptions {
  readonly head?: string
}

/** `audit verify`. */
export const defineAudit: Define = (command, { terminal, end }) => {
  const verify = command
    .command('verify')
    .description('Compare every audit row with its seal; exit with 3 if one was changed.')
    .option('--head <hash>', 'an earlier head, which must still be in the chain')
  onDatabase(withJson(verify)).action(async (options: AuditOptions) =>
    end(await verifyAudit(terminal, options)),
  )
  examples(verify, ['audit verify', 'audit verify --json'])
}

/** Seals all committed rows, then compares every row with its seal. */
async function verifyAudit(terminal: Terminal, options: AuditOptions): Promise<ExitCode> {
  const { head, json } = options
  if (head !== undefined && !/^[0-9a-f]{64}$/i.test(head)) {
    throw new UsageError('--head is a hash of 64 hexadecimal digits, as this command prints it')
  }
  return withSession(terminal, options, async ({ pool }) => {
    await sealAudits(pool)
    const verified = await verifyAudits(pool, given({ head }))
    const { findings, seals, rows, removed, unsealed } = verified
    if (json) terminal.printJson(verified)
    else {
      for (const finding of findings) terminal.print(describe(finding))
      terminal.print(
        `${rows} rows match their seals, ${removed} were removed by retention, ` +
          `${seals} seals, ${findings.length} findings`,
      )
      if (unsealed.length > 0) terminal.print(`not sealed yet: rows of ${unsealed.join(', ')}`)
      terminal.print(`head ${verified.head}`)
    }
    return findings.length === 0 ? EXIT.ok : EXIT.negative
  })
}

function describe({ kind, audit, seq, seal }: AuditFinding): string {
  const row = `${audit} row ${seq}`
  switch (kind) {
    case 'changed':
      return `${row} was changed after it was sealed (seal ${seal})`
    case 'missing':
      return `${row} is missing, and retention did not remove it (seal ${seal})`
    case 'inserted':
      return `${row} was inserted among sealed rows (seal ${seal})`
    case 'seal-changed':
      return `seal ${seal} of ${audit} was changed`
    case 'seal-missing':
      return `seals before seal ${seal} of ${audit} are missing`
    case 'head-missing':
      return 'the chain does not have the given head: seals were removed or made again'
  }
}
