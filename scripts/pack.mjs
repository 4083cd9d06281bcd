// node scripts/pack.mjs [--to folder] [name …]: builds packages as they are published and packs
// each into a file that npm installs. All of them, into .posthorn/packages by default.

import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root, runCommand, showProgram, untilInterrupted } from './command.mjs'
import { compile } from './packing/compile.mjs'
import { readPackages } from './packing/packages.mjs'
import { stage } from './packing/stage.mjs'

async function pack({ names, to, signal }) {
  const packages = readPackages(names)
  // Quiet unless there is something to do: a fresh clone has neither packages nor a dashboard.
  await prepare('scripts/setup.mjs', signal)
  if (packages.some(({ isBuilt }) => isBuilt))
    await prepare('scripts/dashboard.mjs', signal, ['--bare'])
  if (packages.some(({ hasSite }) => hasSite)) await prepare('scripts/docs.mjs', signal)
  // Outside the working tree, and away from another run at the same time.
  const staging = await mkdtemp(join(tmpdir(), 'posthorn-pack-'))
  try {
    await compile(
      packages.filter(({ isBuilt }) => !isBuilt),
      { to: staging, signal },
    )
    for (const each of packages) await stage(each, staging)
    await mkdir(to, { recursive: true })
    const folders = packages.map(({ folder }) => join(staging, folder))
    await packFolders(folders, { to, signal })
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return packages.map(({ tarball }) => join(to, tarball))
}

async function prepare(script, signal, args = []) {
  const status = await showProgram(join(root, script), args, { signal })
  if (status !== 0) throw new Error(`${script} failed.`)
}

/** Packs each of these neighbouring folders into a file in `to`. */
async function packFolders(folders, { to, signal }) {
  const args = ['pack', ...folders, '--pack-destination', to, '--ignore-scripts']
  // Beside them, where no workspace and no .npmrc of a project is found.
  const { status, output } = await runCommand('npm', args, { cwd: dirname(folders[0]), signal })
  if (status !== 0) throw new Error(`npm pack failed: ${output}`)
}

try {
  const { values, positionals } = parseArgs({
    options: { to: { type: 'string', default: join(root, '.posthorn', 'packages') } },
    allowPositionals: true,
  })
  const signal = untilInterrupted()
  const files = await pack({ names: positionals, to: resolve(values.to), signal })
  for (const file of files) console.log(`${file} ${Math.ceil((await stat(file)).size / 1024)} kB`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
