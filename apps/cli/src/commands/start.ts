import process from 'node:process'
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../errors.ts'
import { examples, onDatabase, type Define } from '../options.ts'

interface StartOptions {
  readonly role?: string
  readonly port?: string
  readonly host?: string
  readonly migrate?: string
  readonly dataDir?: string
  readonly config?: string
}

/** The server, as `npm start` runs it. */
export const defineStart: Define = (command, { end }) => {
  command.option('--role <roles>', 'all, or some of api, relay, worker, separated by commas')
  serving(command).action(async (options: StartOptions) => end(await run(options)))
  examples(command, [
    'start',
    'start --config posthorn.config.ts --port 8080',
    'start --role api,worker',
  ])
}

export const defineRelay: Define = (command, { end }) => {
  serving(command, 'a port for health and metrics; none by default').action(
    async (options: StartOptions) => end(await run({ ...options, role: 'relay' })),
  )
  examples(command, ['relay', 'relay --port 9464'])
}

export const defineDashboard: Define = (command, { end }) => {
  serving(command).action(async (options: StartOptions) => {
    const migrate = process.env['POSTHORN_MIGRATE'] ?? 'check'
    end(await run({ ...options, role: 'api', migrate }))
  })
  examples(command, ['dashboard --config outboxes.ts'])
}

function serving(command: Command, port = 'the port to listen on, 0 for any that is free') {
  return onDatabase(
    command.option('--port <port>', port).option('--host <address>', 'the address to listen on'),
  )
}

/** An option replaces its variable of the environment; the server checks both the same way. */
async function run(options: StartOptions): Promise<ExitCode> {
  const { role, port, host, dataDir, config, migrate } = options
  const variables = {
    POSTHORN_ROLES: role,
    PORT: port,
    HOST: host,
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_CONFIG: config,
    POSTHORN_MIGRATE: migrate,
  }
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined) process.env[name] = value
  }
  const { runServer } = await import('@posthorn/server')
  return (await runServer(process)) === 0 ? EXIT.ok : EXIT.failed
}
