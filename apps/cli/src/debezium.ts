import { DefinitionError } from '@posthorn/engine'
import { debeziumConnector } from '@posthorn/transports/kafka'
import { Pool } from 'pg'
import type { DebeziumOptions } from './commands/debezium.ts'
import { openToLook, readEnvironment, variablesOf } from './environment.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import { outboxNamed } from './session.ts'
import type { Terminal } from './terminal.ts'

/** Looks at the definition only: the database need not be there yet. */
export async function printConnector(
  terminal: Terminal,
  { outbox: name, source, headers, sql: isSqlWanted, ...options }: DebeziumOptions,
): Promise<ExitCode> {
  if (isSqlWanted && headers === undefined) {
    throw new UsageError('--sql needs --headers: without, the table stays as it is')
  }
  const environment = await readEnvironment(variablesOf(terminal, options))
  const { databaseUrl } = environment.configuration
  if (databaseUrl === undefined) {
    throw new UsageError('DATABASE_URL is missing: it says where Debezium finds the database')
  }
  const pool = new Pool({ connectionString: databaseUrl })
  try {
    const { outboxes } = await openToLook(environment, pool)
    const byTable = outboxes.find(({ table }) => table === name)
    const byName = new Map(outboxes.map((outbox) => [outbox.name, outbox]))
    const outbox = byTable ?? outboxNamed({ outboxes: byName }, name)
    const { notes, sql, ...connector } = debeziumConnector(outbox, {
      databaseUrl,
      ...(source !== undefined && { source }),
      ...(headers !== undefined && { headers: headers.split(',') }),
    })
    if (isSqlWanted) {
      terminal.print((sql ?? '').trimEnd())
      return EXIT.ok
    }
    terminal.printJson(connector)
    for (const note of notes) terminal.say(`- ${note}`)
    return EXIT.ok
  } catch (error) {
    if (error instanceof DefinitionError) throw new UsageError(error.message)
    throw error
  } finally {
    await pool.end()
  }
}
