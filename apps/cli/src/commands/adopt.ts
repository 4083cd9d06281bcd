import { adoptTable } from '@posthorn/operate/internal'
import { examples, onDatabase, type DatabaseOptions, type Define } from '../options.ts'
import { readEnvironment, variablesOf } from '../environment.ts'
import { EXIT } from '../errors.ts'
import { openExisting, throwAsUsage } from '../session.ts'

interface AdoptOptions extends DatabaseOptions {
  readonly sql?: true
}

/** The definition goes to standard output, and notes to standard error; so does the SQL without --sql. */
export const defineAdopt: Define = (command, { terminal, end }) => {
  command
    .argument('<table>', 'the table with its schema, as the database has it')
    .option('--sql', 'print only the SQL for missing columns and indexes')
  onDatabase(command).action(async (table: string, options: AdoptOptions) => {
    const { configuration } = await readEnvironment(variablesOf(terminal, options))
    await using database = await openExisting(terminal, configuration)
    const adopted = await adoptTable(database.pool, table).catch((error: unknown) =>
      throwAsUsage(error, 'TABLE_MISMATCH', 'DEFINITION_INVALID'),
    )
    terminal.print((options.sql ? adopted.sql : adopted.typescript).trimEnd())
    if (!options.sql)
      terminal.say(`The table lacks this SQL (--sql prints it alone):\n${adopted.sql}`)
    for (const note of adopted.undecided) terminal.say(`- ${note}`)
    end(EXIT.ok)
  })
  examples(command, [
    'adopt public.outbox_event > outbox.ts',
    'adopt public.outbox_event --sql > migrations/0007_outbox.sql',
  ])
}
