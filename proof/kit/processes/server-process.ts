import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as Server from '@posthorn/server'
import { meetParent } from './parent.ts'

/** A process of the server, with the roles of its environment. */
export interface ServerSettings {
  readonly env: Readonly<Record<string, string>>
  /** The folder of the version to run; this one if none is named. */
  readonly root?: string
}

/** What the server of one version exports; an older one has another name for it. */
type Version = typeof Server & { readonly installedSystems?: typeof Server.loadSystems }

const { settings, tell, stopped } = meetParent<ServerSettings>()
const root = settings.root ?? fileURLToPath(new URL('../../../', import.meta.url))
// Libraries read some of it by themselves.
Object.assign(process.env, settings.env, { PROCESS_NAME: settings.name })
const entry = pathToFileURL(join(root, 'apps/server/src/index.ts')).href
const version = (await import(entry)) as Version
const systems = await (version.installedSystems ?? version.loadSystems)(process.env)
const configuration = version.readConfiguration(process.env, systems)
const log = version.createLog(configuration.logLevel)
const server = await version.startServer(configuration, { systems, log })
tell({ kind: 'ready' })
await stopped
await server.close()
process.exit(0)
