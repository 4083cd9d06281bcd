import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { seededBugs } from './bugs.ts'

/*
 * node proof/chaos/seeded/main.ts <bug> [arguments of chaos]: puts a bug of `bugs.ts` into a copy of the
 * last commit and runs chaos there. It ends well if the ledger is broken: a test that cannot fail proves
 * nothing.
 */
const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const [wanted = '', ...given] = process.argv.slice(2)
const bug = seededBugs[wanted]
if (!bug) throw new Error(`takes one of ${Object.keys(seededBugs).join(', ')}, not '${wanted}'`)

const copy = await mkdtemp(join(tmpdir(), 'posthorn-seeded-'))
try {
  await copyTree()
  const file = join(copy, bug.file)
  const source = await readFile(file, 'utf8')
  if (!source.includes(bug.line)) throw new Error(`${bug.file} has no line '${bug.line}'`)
  await writeFile(
    file,
    source.replace(bug.line, () => bug.becomes),
  )
  console.log(`a server that ${bug.text}`)
  const args = ['proof/chaos/main.ts', ...(given.length > 0 ? given : bug.args)]
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
