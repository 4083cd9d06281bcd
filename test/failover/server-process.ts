import { createLog, loadSystems, readConfiguration, startServer } from '@posthorn/server'
import { meetParent } from '../crash/parent.ts'

/** A process of the server, with the roles of its environment. */
export interface ServerSettings {
  readonly env: Readonly<Record<string, string>>
}

const { settings, tell, stopped } = meetParent<ServerSettings>()
// Libraries read some of it by themselves.
Object.assign(process.env, settings.env, { FAILOVER_NAME: settings.name })
const systems = await loadSystems(process.env)
const configuration = readConfiguration(process.env, systems)
const server = await startServer(configuration, { systems, log: createLog(configuration.logLevel) })
tell({ kind: 'ready' })
await stopped
await server.close()
process.exit(0)
