import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { change, withCopy } from '../../kit/copy.ts'
import { seededBugs } from './bugs.ts'

/*
 * node proof/chaos/seeded/main.ts <bug> [arguments of chaos]: puts a bug of `bugs.ts` into a copy of the
 * last commit and runs chaos there. It ends well if the ledger is broken: a test that cannot fail proves
 * nothing.
 */
const [wanted = '', ...given] = process.argv.slice(2)
const bug = seededBugs[wanted]
if (!bug) throw new Error(`takes one of ${Object.keys(seededBugs).join(', ')}, not '${wanted}'`)

await withCopy(async (copy) => {
  await change(copy, [bug])
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
})
