import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as Main from '@posthorn/engine'
import type * as InboxEntry from '@posthorn/engine/inbox'
import type * as OperateEntry from '@posthorn/operate'

/** Everything the entry points of one version of the engine export, in one object. */
export type Engine = typeof Main & typeof InboxEntry & typeof OperateEntry

/** Where the packages of the version under test are. */
export const currentSource = fileURLToPath(new URL('../../packages', import.meta.url))

const ENTRY_POINTS = ['engine/src/index.ts', 'engine/src/inbox/index.ts', 'operate/src/index.ts']

/** Loads the engine whose package is in a folder. */
export async function loadEngine(source: string): Promise<Engine> {
  const modules = await Promise.all(
    ENTRY_POINTS.map((file) => import(pathToFileURL(join(source, file)).href)),
  )
  return Object.assign({}, ...modules) as Engine
}
