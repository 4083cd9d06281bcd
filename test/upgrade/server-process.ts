import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Server from '@posthorn/server'
import { meetParent } from '../crash/parent.ts'

export interface ServerSettings {
  /** The folder of the version to run. */
  readonly root: string
  readonly env: Readonly<Record<string, string>>
}

/** What the server of one version exports; an older one has another name for it. */
type Version = typeof Server & { readonly installedSystems?: typeof Server.loadSystems }

const { settings, tell, stopped } = meetParent<ServerSettings>()
Object.assign(process.env, settings.env)
const entry = pathToFileURL(join(settings.root, 'apps/server/src/index.ts')).href
const version = (await import(entry)) as Version
const load = version.installedSystems ?? version.loadSystems
const systems = await load(process.env)
const configuration = version.readConfiguration(process.env, systems)
const log = version.createLog(configuration.logLevel)
const server = await version.startServer(configuration, { systems, log })
tell({ kind: 'ready' })
await stopped
await server.close()
process.exit(0)
