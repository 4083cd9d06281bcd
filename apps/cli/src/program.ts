import { Command } from 'commander'
import { addAlerts } from './commands/alerts.ts'
import { addAudit } from './commands/audit.ts'
import { addDeadLetters } from './commands/dead-letters.ts'
import { addDebezium } from './commands/debezium.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addInit } from './commands/init.ts'
import { addKeys } from './commands/keys.ts'
import { addMessages } from './commands/messages.ts'
import { addMigrate } from './commands/migrate.ts'
import type { Ended } from './commands/option.ts'
import { addPause } from './commands/pause.ts'
import { addRecurring } from './commands/recurring.ts'
import { addReplay } from './commands/replay.ts'
import { addSql } from './commands/sql.ts'
import { addStart } from './commands/start.ts'
import { addStatus } from './commands/status.ts'
import { addToken } from './commands/token.ts'
import type { Terminal } from './terminal.ts'

const ABOUT = `
Every command reads the same environment as the server: DATABASE_URL, else the
embedded PostgreSQL in POSTHORN_DATA_DIR, and POSTHORN_CONFIG or --config for
outboxes and systems of your own. All but demo work on the database itself,
whether a server runs or not.

Exit codes: 0 done, 1 failed, 2 wrong usage or environment, 3 checked and not
so, 130 interrupted.`

/**
 * The command line as a whole. The files in `commands` only say what there is; what does the work
 * is loaded when it is called, so that help and mistakes are answered at once.
 */
export function createProgram(terminal: Terminal, ended: Ended): Command {
  const program = new Command('posthorn')
    .description('Reliable messaging on PostgreSQL: outboxes, relays, inboxes.')
    .addHelpText('after', ABOUT)
    .helpCommand(false)
    .showHelpAfterError('Add --help to see what there is.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
  program.commandsGroup('Run:')
  addInit(program, terminal, ended)
  addStart(program, ended)
  addMigrate(program, terminal, ended)
  addSql(program, terminal, ended)
  addDemo(program, terminal, ended)
  program.commandsGroup('Look:')
  addStatus(program, terminal, ended)
  addMessages(program, terminal, ended)
  addAlerts(program, terminal, ended)
  addAudit(program, terminal, ended)
  addDoctor(program, terminal, ended)
  addDebezium(program, terminal, ended)
  program.commandsGroup('Act:')
  addReplay(program, terminal, ended)
  addDeadLetters(program, terminal, ended)
  addPause(program, terminal, ended)
  addRecurring(program, terminal, ended)
  addKeys(program, terminal, ended)
  addToken(program, terminal, ended)
  return program
}
