// node main.mjs build <folder> | dev: what `npm run docs` runs, on the Node of the packages.

import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build, dev } from 'astro'
import { describeApi } from './api.mjs'
import { finish } from './finish.mjs'
import { BUILT, PREPARED, root } from './pages.mjs'
import { prepare } from './prepare.mjs'

const [command, folder] = process.argv.slice(2)
const site = { root: import.meta.dirname }

await rm(PREPARED, { recursive: true, force: true })
const api = await describeApi(join(PREPARED, 'api'))
await prepare(api)
if (command === 'build') {
  await build({ ...site, logLevel: 'error' })
  await finish(BUILT)
  await cp(BUILT, folder, { recursive: true })
} else {
  const { watcher } = await dev({ ...site, server: { port: 4700 } })
  // Node's own recursive watch loses a file that an editor replaces.
  watcher.add(['docs', 'systems'].map((name) => join(root, name)))
  watcher.on('all', (_event, path) => {
    if (path.endsWith('.md') && !path.startsWith(PREPARED)) renew()
  })
}

function renew() {
  prepare(api).catch((error) => console.error(error.message))
}
