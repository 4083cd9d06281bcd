import { readConfiguration } from './configuration/configuration.ts'
import { loadSystems } from './systems/systems.ts'
import { createLog } from './log.ts'
import { startServer } from './server.ts'
import { developmentToken } from './configuration/tokens.ts'
import { welcome } from './welcome.ts'

/** A process has this long to stop; then it exits, and its claims run out. */
const STOP_WITHIN_MS = 9_500

/** Runs the server in this process until a signal stops it. The exit code is the caller's to set. */
export async function runServer(host: NodeJS.Process): Promise<number> {
  const stopped = untilTerminated(host)
  const systems = await loadSystems(host.env)
  const configuration = readConfiguration(host.env, systems)
  const log = createLog(configuration.logLevel)
  const { unknown } = configuration
  if (unknown.length > 0) log.warn({ names: unknown }, 'unknown variables are ignored')
  const server = await startServer(configuration, { systems, log })
  const token = await developmentToken(configuration)
  host.stdout.write(welcome({ configuration, server, token }))

  await stopped
  return Promise.race([
    server.close().then(() => {
      host.stdout.write('stopped; nothing was lost\n')
      return 0
    }),
    tooLate().then(() => {
      log.error({ withinMs: STOP_WITHIN_MS }, 'not stopped in time; exiting, claims will run out')
      return 1
    }),
  ])
}

/** Resolves at the first signal; at a second one the process ends as it would by default. */
function untilTerminated(host: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = () => {
      host.off('SIGTERM', onSignal)
      host.off('SIGINT', onSignal)
      resolve()
    }
    host.on('SIGTERM', onSignal)
    host.on('SIGINT', onSignal)
  })
}

function tooLate(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, STOP_WITHIN_MS).unref()
  })
}
