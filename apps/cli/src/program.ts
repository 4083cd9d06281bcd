import { Command } from 'commander'
import { UsageError } from './errors.ts'
import type { Context, Define } from './options.ts'

const ABOUT = `
Every command reads the same environment as the server: DATABASE_URL, else the
embedded PostgreSQL in POSTHORN_DATA_DIR, and the outboxes and systems of
POSTHORN_CONFIG or --config, else of posthorn.config.ts in the working folder.
All but demo work on the database itself, whether a server runs or not.

Exit codes: 0 done, 1 failed, 2 wrong usage or environment, 3 checked and not
so, 130 interrupted.`

interface Entry {
  readonly about: string
  readonly load: () => Promise<Define>
}

/** Every command by its group and name, in the order of the help. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Run:': {
    init: {
      about: 'Make a small service that runs: an outbox, its messages, tests.',
      load: async () => (await import('./commands/init.ts').catch(missingPackage)).defineInit,
    },
    start: {
      about: 'Run the server until it is stopped, with the systems of posthorn.config.ts.',
      load: async () => (await import('./commands/start.ts')).defineStart,
    },
    relay: {
      about: 'Run only the relays: a server with the role relay.',
      load: async () => (await import('./commands/start.ts')).defineRelay,
    },
    dashboard: {
      about: 'Show your outboxes in a browser. Relays run elsewhere, and nothing is migrated.',
      load: async () => (await import('./commands/start.ts')).defineDashboard,
    },
    migrate: {
      about: 'Apply the migrations that are pending, one after the other.',
      load: async () => (await import('./commands/migrate.ts')).defineMigrate,
    },
    sql: {
      about:
        'Print the SQL for the migrations of another tool, which opens the transaction itself: ' +
        'the engine’s tables, and those of outbox().',
      load: async () => (await import('./commands/migrate.ts')).defineSql,
    },
    adopt: {
      about:
        'Print the definition for an outbox table that exists, the SQL for what it lacks, and what ' +
        'is yours to decide. Changes nothing.',
      load: async () => (await import('./commands/adopt.ts')).defineAdopt,
    },
    demo: {
      about:
        'Run a demo through all systems of a running development server, with their failures. ' +
        'Takes about a minute; Ctrl-C stops it.',
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
      about: 'Check the records of who did what.',
      load: async () => (await import('./commands/audit.ts')).defineAudit,
    },
    doctor: {
      about:
        'Check everything that can be checked: environment, secrets, disk, database, settings, ' +
        'locks, tables, indexes, vacuum, wake-ups, brokers, relays. Changes nothing; exits with 1 ' +
        'if something fails.',
      load: async () => (await import('./commands/doctor.ts')).defineDoctor,
    },
    mcp: {
      about:
        'Serve the Model Context Protocol for coding agents and assistants, over stdio or HTTP. ' +
        'Read-only unless actions are allowed.',
      load: async () => (await import('./commands/mcp.ts')).defineMcp,
    },
    asyncapi: {
      about: 'Print an AsyncAPI 3 document of the outboxes, their messages and consumers.',
      load: async () => (await import('./commands/asyncapi.ts')).defineAsyncApi,
    },
    debezium: {
      about:
        "Print the configuration of Debezium's connector that sends an outbox's messages as its " +
        'relay does, for Kafka Connect. Notes go to standard error.',
      load: async () => (await import('./commands/debezium.ts')).defineDebezium,
    },
  },
  'Act:': {
    replay: {
      about:
        'Send dead or quarantined messages again, with their attempts back at zero. Shows how many ' +
        'there are and asks; without options it takes all of them.',
      load: async () => (await import('./commands/replay.ts')).defineReplay,
    },
    'dead-letters': {
      about:
        'List messages that consumers could not handle, newest first, or replay or drop them. A ' +
        'replay gives them to the consumer again, with their attempts back at zero; a drop is final.',
      load: async () => (await import('./commands/dead-letters.ts')).defineDeadLetters,
    },
    pause: {
      about:
        'Stop relays from claiming from an outbox, in every process; messages in flight finish.',
      load: async () => (await import('./commands/pause.ts')).definePause,
    },
    resume: {
      about: 'Let relays claim from a paused outbox again.',
      load: async () => (await import('./commands/pause.ts')).defineResume,
    },
    recurring: {
      about: 'List the messages that outboxes give themselves, or steer one of them.',
      load: async () => (await import('./commands/recurring.ts')).defineRecurring,
    },
    keys: {
      about: 'Look after the keys of encrypted payloads.',
      load: async () => (await import('./commands/keys.ts')).defineKeys,
    },
    token: {
      about: 'Sign a token for the API and the dashboard, with the secret of the server.',
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
    .showHelpAfterError('Add --help to see what there is.')
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
