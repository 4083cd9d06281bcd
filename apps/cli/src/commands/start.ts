import process from 'node:process'
import type { Command } from 'commander'
import { examples, onDatabase, type Ended } from './option.ts'

interface StartOptions {
  readonly role?: string
  readonly port?: string
  readonly host?: string
  readonly migrate?: string
  readonly dataDir?: string
  readonly config?: string
}

/** `start`, `relay` and `dashboard`: the server, as `npm start` runs it. */
export function addStart(program: Command, ended: Ended): void {
  const start = onDatabase(
    program
      .command('start')
      .description('Run the server until it is stopped.')
      .option('--role <roles>', 'all, or some of api, relay, worker with commas between')
      .option('--port <port>', 'the port to listen on, 0 for any that is free')
      .option('--host <address>', 'the address to listen on'),
  ).action(async (options: StartOptions) => ended(await run(options)))
  examples(start, [
    'start',
    'start --port 8080 --data-dir /var/lib/posthorn',
    'start --role api,worker',
  ])

  const relay = onDatabase(
    program
      .command('relay')
      .description('Run only the relays: a server with the role relay.')
      .option('--port <port>', 'a port for health and metrics; none by default')
      .option('--host <address>', 'the address to listen on'),
  ).action(async (options: StartOptions) => ended(await run({ ...options, role: 'relay' })))
  examples(relay, ['relay', 'relay --port 9464'])

  const dashboard = onDatabase(
    program
      .command('dashboard')
      .description(
        'Show your outboxes in a browser. Relays run elsewhere, and nothing is migrated.',
      )
      .option('--port <port>', 'the port to listen on, 0 for any that is free')
      .option('--host <address>', 'the address to listen on'),
  ).action(async (options: StartOptions) =>
    ended(
      await run({ ...options, role: 'api', migrate: process.env['POSTHORN_MIGRATE'] ?? 'check' }),
    ),
  )
  examples(dashboard, ['dashboard --config outboxes.ts'])
}

/** What stands on the command line wins over the environment; the server checks both the same way. */
async function run({ role, port, host, dataDir, config, migrate }: StartOptions) {
  const given = {
    POSTHORN_ROLES: role,
    PORT: port,
    HOST: host,
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_CONFIG: config,
    POSTHORN_MIGRATE: migrate,
  }
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) process.env[name] = value
  }
  const { runServer } = await import('@posthorn/server')
  return (await runServer(process)) === 0 ? 0 : 1
}
