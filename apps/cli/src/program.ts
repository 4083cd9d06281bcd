import { Command } from 'commander'
import { UsageError } from './errors.ts'
import type { Context, Define } from './options.ts'

const ABOUT = `
Commands read the environment of the server: DATABASE_URL, or else the embedded
PostgreSQL in POSTHORN_DATA_DIR. Outboxes and systems come from --config, else
POSTHORN_CONFIG, else posthorn.config.ts in the working folder. All commands
except demo work on the database; a server need not run.

Exit codes: 0 done, 1 failed, 2 wrong usage or environment, 3 a check found
something, 130 interrupted.`

interface Entry {
  readonly about: string
  readonly load: () => Promise<Define>
}

/** Every command by its group and name, in the order of the help. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Run:': {
    init: {
      about: 'Create a small service: an outbox, a relay, tests.',
      load: async () => (await import('./commands/init.ts').catch(missingPackage)).defineInit,
    },
    start: {
      about: 'Run the server with the systems of posthorn.config.ts until a signal stops it.',
      load: async () => (await import('./commands/start.ts')).defineStart,
    },
    relay: {
      about: 'Run only the relays, like start --role relay.',
      load: async () => (await import('./commands/start.ts')).defineRelay,
    },
    dashboard: {
      about: 'Show your outboxes in a browser. Delivers nothing and migrates nothing.',
      load: async () => (await import('./commands/start.ts')).defineDashboard,
    },
    migrate: {
      about: 'Apply pending migrations.',
      load: async () => (await import('./commands/migrate.ts')).defineMigrate,
    },
    sql: {
      about:
        'Print the SQL for another migration tool: the tables of the engine and of outbox(). ' +
        'That tool opens the transaction.',
      load: async () => (await import('./commands/migrate.ts')).defineSql,
    },
    adopt: {
      about:
        'Read an existing outbox table; print its definition, the SQL for missing columns and ' +
        'indexes, and what you have to decide. Changes nothing.',
      load: async () => (await import('./commands/adopt.ts')).defineAdopt,
    },
    demo: {
      about:
        'Run a demo with failures through all systems of a running development server. ' +
        'Takes half a minute; Ctrl-C stops it.',
      load: async () => (await import('./commands/demo.ts')).defineDemo,
    },
  },
  'Look:': {
    status: {
      about:
        'Show every outbox: states, oldest due message, rate, failures, relays, pauses, alerts. ' +
        'On a terminal it redraws until q or Ctrl-C; elsewhere it prints once.',
      load: async () => (await import('./commands/status.ts')).defineStatus,
    },
    messages: {
      about: 'List messages of an outbox, newest first.',
      load: async () => (await import('./commands/messages.ts')).defineMessages,
    },
    message: {
      about: 'Show one message: payload, headers, attempts, every transition.',
      load: async () => (await import('./commands/message.ts')).defineMessage,
    },
    alerts: {
      about: 'List alerts, newest first, or acknowledge some.',
      load: async () => (await import('./commands/alerts.ts')).defineAlerts,
    },
    audit: {
      about: 'Check that nobody changed the audit.',
      load: async () => (await import('./commands/audit.ts')).defineAudit,
    },
    doctor: {
      about:
        'Check environment, secrets, disk, database, settings, locks, tables, indexes, vacuum, ' +
        'wake-ups, brokers and relays. Changes nothing; exits with 1 if a check fails.',
      load: async () => (await import('./commands/doctor.ts')).defineDoctor,
    },
    mcp: {
      about:
        'Serve the Model Context Protocol to coding agents and assistants, over stdio or HTTP. ' +
        'Read-only without --allow-actions.',
      load: async () => (await import('./commands/mcp.ts')).defineMcp,
    },
    asyncapi: {
      about: 'Print an AsyncAPI 3 document of the outboxes, their messages and consumers.',
      load: async () => (await import('./commands/asyncapi.ts')).defineAsyncApi,
    },
    debezium: {
      about:
        "Print a Debezium connector for Kafka Connect that sends an outbox's messages as its " +
        'relay does. Notes go to standard error.',
      load: async () => (await import('./commands/debezium.ts')).defineDebezium,
    },
  },
  'Act:': {
    replay: {
      about:
        'Send dead or quarantined messages again, with attempts at zero: all, or those that the ' +
        'options select. Prints their number and asks first.',
      load: async () => (await import('./commands/replay.ts')).defineReplay,
    },
    'dead-letters': {
      about:
        'List messages that consumers could not handle, newest first; replay or drop them. ' +
        'A replay gives them to the consumer again, with attempts at zero; a drop is final.',
      load: async () => (await import('./commands/dead-letters.ts')).defineDeadLetters,
    },
    pause: {
      about: 'Stop new claims of an outbox in every process. Messages in flight finish.',
      load: async () => (await import('./commands/pause.ts')).definePause,
    },
    resume: {
      about: 'Allow claims of a paused outbox again.',
      load: async () => (await import('./commands/pause.ts')).defineResume,
    },
    recurring: {
      about: 'List recurring messages; pause, resume or run one.',
      load: async () => (await import('./commands/recurring.ts')).defineRecurring,
    },
    keys: {
      about: 'Manage the keys of encrypted payloads.',
      load: async () => (await import('./commands/keys.ts')).defineKeys,
    },
    token: {
      about: 'Sign a token for the API and the dashboard with the server’s secret.',
      load: async () => (await import('./commands/token.ts')).defineToken,
    },
  },
}

/** `create-posthorn` is optional: who installs our packages from files may have left it out. */
function missingPackage(error: unknown): never {
  if (!(error instanceof Error) || !error.message.includes("'create-posthorn'")) throw error
  throw new UsageError('init needs the package create-posthorn: run npm create posthorn', {
    cause: error,
  })
}

/**
 * The command line. A command's file brings the engine and the server with it, so only the commands
 * that are called are loaded: help is printed at once.
 */
export async function createProgram(
  context: Context,
  isCalled: (name: string) => boolean,
): Promise<Command> {
  const { stdout, stderr } = context.terminal
  const program = new Command('posthorn')
    .description('Reliable messaging on PostgreSQL: outboxes, relays, inboxes.')
    .addHelpText('after', ABOUT)
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('Add --help to list commands and options.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
    })
  for (const [group, entries] of Object.entries(COMMANDS)) {
    program.commandsGroup(group)
    for (const [name, { about, load }] of Object.entries(entries)) {
      const command = program.command(name).description(about)
      if (isCalled(name)) (await load())(command, context)
    }
  }
  return program
}
