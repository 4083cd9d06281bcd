import { DefinitionError } from '@posthorn/engine'
import { debeziumConnector } from '@posthorn/transports/kafka'
import { examples, given, withConfig, type Define } from '../options.ts'
import { openWithoutDatabase, readEnvironment, variablesOf } from '../environment.ts'
import { EXIT, UsageError, type ExitCode } from '../errors.ts'
import { outboxNamed } from '../session.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface DebeziumOptions {
  readonly outbox: string
  readonly config?: string
  readonly source?: string
  readonly headers?: string
  readonly sql?: true
}

export const defineDebezium: Define = (command, { terminal, end }) => {
  command
    .requiredOption('--outbox <name>', 'which outbox, by its name or its table')
    .option('--source <source>', 'the CloudEvents source, as for the Kafka transport')
    .option('--headers <names>', 'headers to send individually, if several share a column: a,b')
    .option('--sql', 'print the columns and the trigger that --headers needs')
  withConfig(command).action(async (options: DebeziumOptions) =>
    end(await printConnector(terminal, options)),
  )
  examples(command, [
    'debezium --config outboxes.ts --outbox shop.outbox > connector.json',
    'debezium --config outboxes.ts --outbox shop.outbox --headers region,x-request-id --sql | psql',
  ])
}

/** Reads the definition only: the database need not exist yet. */
async function printConnector(
  terminal: Terminal,
  { outbox: name, source, headers, sql: isSqlWanted, ...options }: DebeziumOptions,
): Promise<ExitCode> {
  if (isSqlWanted && headers === undefined) {
    throw new UsageError('--sql needs --headers: otherwise the table needs no change')
  }
  const environment = await readEnvironment(variablesOf(terminal, options))
  const { databaseUrl } = environment.configuration
  if (databaseUrl === undefined) {
    throw new UsageError('DATABASE_URL is missing: Debezium connects to it')
  }
  try {
    const { outboxes } = await openWithoutDatabase(environment)
    const byTable = outboxes.find(({ table }) => table === name)
    const byName = new Map(outboxes.map((outbox) => [outbox.name, outbox]))
    const outbox = byTable ?? outboxNamed({ outboxes: byName }, name)
    const { notes, sql, ...connector } = debeziumConnector(outbox, {
      databaseUrl,
      ...given({ source, headers: headers?.split(',') }),
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
  }
}
