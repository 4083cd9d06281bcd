import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/*
 * node test/chaos/seeded/main.ts <bug> [arguments of chaos]: puts a bug into a copy of the last commit
 * and runs chaos there. It ends well if the ledger is broken: a test that cannot fail proves nothing.
 *
 *   fence    settling does not ask whether the claim is still its own
 *   answer   a message counts as delivered before the destination has answered
 */
const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const [bug = '', ...given] = process.argv.slice(2)
const USUAL = ['--system', 'messages', '--minutes', '1', '--every', '800']
/** A fence is needed by those that come back, and only where others go on meanwhile. */
const ZOMBIES = ['--system', 'messages', '--minutes', '1', '--every', '8000', '--faults', 'zombie']

const copy = await mkdtemp(join(tmpdir(), 'posthorn-seeded-'))
try {
  await copyTree()
  const patch = fileURLToPath(new URL(`${bug}.patch`, import.meta.url))
  await run('git', ['apply', patch], { cwd: copy })
  const args = [
    'test/chaos/main.ts',
    ...(given.length > 0 ? given : bug === 'fence' ? ZOMBIES : USUAL),
  ]
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk)
    said += String(chunk)
  })
  await once(child, 'close')
  const found = said.split('\n').filter((line) => line.includes('MUST BE'))
  console.log(found.length > 0 ? `\nfound by\n${found.join('\n')}` : '\nNOT FOUND')
  process.exitCode = found.length > 0 ? 0 : 1
} finally {
  await rm(copy, { recursive: true, force: true })
}

/** The last commit, with the packages of this tree and the workspaces of the copy. */
async function copyTree(): Promise<void> {
  await run('sh', ['-c', `git archive HEAD | tar -x -C '${copy}'`], { cwd: root })
  const [theirs, ours] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  await mkdir(ours)
  for (const name of await readdir(theirs)) {
    if (name !== '@posthorn' && name !== '.cache')
      await symlink(join(theirs, name), join(ours, name))
  }
  // Links to the workspaces, relative to where they are.
  await cp(join(theirs, '@posthorn'), join(ours, '@posthorn'), {
    recursive: true,
    verbatimSymlinks: true,
  })
}
