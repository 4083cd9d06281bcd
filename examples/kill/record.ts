// node examples/kill/record.ts [--check]: runs the shop on a PostgreSQL of its own, kills it with SIGKILL
// in the middle of two transactions, and writes what it printed, and when, as an animation into
// docs/images. With --check it tells whether the picture still shows what is printed.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '@posthorn/postgres'
import { renderTerminal, type Line } from './terminal.ts'

const PICTURE = new URL('../../docs/images/kill.svg', import.meta.url)
const SHOP = join(import.meta.dirname, 'shop.ts')

const folder = await mkdtemp(join(tmpdir(), 'posthorn-kill-'))
const postgres = await openPostgres({ folder })
const lines: Line[] = []
const began = Date.now()
const note = (text: string, kind: Line['kind']) => {
  lines.push({ text, kind, atMs: Date.now() - began })
  process.stdout.write(`${text}\n`)
}

function start(args: string): ChildProcess {
  const child = spawn(process.execPath, [SHOP, ...args.split(' ')], {
    env: { ...process.env, DATABASE_URL: postgres.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout?.on('data', (data: Buffer) => {
    for (const text of data.toString().trimEnd().split('\n')) note(text, 'output')
  })
  return child
}

/** Runs a command to its end, and stays a moment to be read. */
async function run(args: string): Promise<void> {
  note(`$ node shop.ts ${args}`, 'command')
  await once(start(args), 'close')
  await sleep(1_200)
}

/** Starts a command, waits for its first words and kills it: no handler of a signal runs. */
async function kill(args: string): Promise<void> {
  note(`$ node shop.ts ${args} &`, 'command')
  const child = start(args)
  const ended = once(child, 'close')
  if (child.stdout) await once(child.stdout, 'data')
  await sleep(1_200)
  note('$ kill -9 %1', 'kill')
  child.kill('SIGKILL')
  await ended
  await sleep(800)
}

try {
  await once(start('setup'), 'close')
  await kill('order 7 --slow')
  await run('count')
  await run('order 8')
  await kill('relay --slow')
  await run('count')
  await run('relay')
  await run('count')
  const picture = renderTerminal(lines)
  if (!process.argv.includes('--check')) await writeFile(PICTURE, picture)
  else if (wordsOf(await readFile(PICTURE, 'utf8')) !== wordsOf(picture)) {
    process.stderr.write(
      'docs/images/kill.svg shows something else: node examples/kill/record.ts\n',
    )
    process.exitCode = 1
  }
} finally {
  await postgres.close()
  await rm(folder, { recursive: true, force: true })
}

/** Without the times, which no two runs share. */
function wordsOf(picture: string): string {
  return [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, words]) => words).join('\n')
}
