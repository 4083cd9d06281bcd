import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { runWithRetries } from './command.mjs'

const VERSIONS = { bun: '1.4.4', deno: '2.9.6' }

/** Other runtimes than Node, from npm: what stands before a script. */
export async function ensureRuntimes({ log = console.error } = {}) {
  const { bun, deno } = VERSIONS
  const name = `runtimes-bun-${bun}-deno-${deno}-${process.platform}-${process.arch}`
  const home = await fillCache(name, async (folder) => {
    log(`fetching Bun ${bun} and Deno ${deno}`)
    const manifest = {
      private: true,
      dependencies: VERSIONS,
      allowScripts: { bun: true, deno: true },
    }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
    await runWithRetries('npm', ['install', ...quiet], { cwd: folder })
  })
  const programs = join(home, 'node_modules')
  return {
    bun: [join(programs, 'bun/bin/bun.exe'), 'run'],
    deno: [join(programs, '.bin/deno'), 'run', '-A'],
  }
}
