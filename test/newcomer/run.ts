import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { ensureChromium } from '../../scripts/services/index.mjs'
import type { Ledger, Line } from '../../proof/kit/ledger.ts'
import type { ProofStage } from '../../proof/kit/proof-run.ts'
import { createCommands, type Commands } from './commands.ts'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'

/** Something that runs the service, from npm. */
export interface Runtime {
  readonly name: string
  /** What npm installs. */
  readonly spec: string
  /** The program, from the folder that it was installed into, and what stands before a script. */
  readonly program: string
  readonly args: readonly string[]
  /** Runs the tests of the service. */
  readonly test: readonly string[]
  /**
   * As root it starts PostgreSQL only in a folder that others may enter: it becomes the server's account
   * before it changes into the folder, not after.
   */
  readonly needsOpenFolder?: true
}

const TEST = 'test/shop.test.ts'

export const RUNTIMES: readonly Runtime[] = [
  {
    name: 'node22',
    spec: 'node@22',
    program: 'node_modules/node/bin/node',
    args: [],
    test: ['--test', TEST],
  },
  {
    name: 'node24',
    spec: 'node@24',
    program: 'node_modules/node/bin/node',
    args: [],
    test: ['--test', TEST],
  },
  {
    name: 'bun',
    spec: 'bun',
    program: 'node_modules/bun/bin/bun.exe',
    args: ['run'],
    test: ['test', '--timeout', '60000', `./${TEST}`],
  },
  {
    name: 'deno',
    spec: 'deno',
    program: 'node_modules/.bin/deno',
    args: ['run', '-A'],
    test: ['test', '-A', '--no-check', TEST],
    needsOpenFolder: true,
  },
]

const PACK = fileURLToPath(new URL('../../scripts/pack.mjs', import.meta.url))

/** A newcomer's patience, with a package cache that has been used before. */
const PATIENCE_S = 120

interface Following extends ProofStage {
  readonly runtimes: readonly Runtime[]
}

/** Packs once, then goes through the guide on each runtime. */
export async function followGuide({ folder, signal, runtimes }: Following): Promise<Ledger[]> {
  const packed = join(folder, 'packed')
  const commands = createCommands(signal)
  await commands.run(process.execPath, [PACK, '--to', packed], folder)
  const tarballs = await readTarballs(packed)
  const ledgers: Ledger[] = []
  for (const runtime of runtimes) {
    const home = join(folder, runtime.name)
    await mkdir(home, { recursive: true })
    await chmod(folder, runtime.needsOpenFolder ? 0o755 : 0o700)
    const at = join(home, 'runtime')
    await mkdir(at, { recursive: true })
    await commands.install(at, [runtime.spec])
    const program = [join(at, runtime.program), ...runtime.args]
    // What one of them cannot do is no reason not to try the others.
    const ledger = await followOn({ runtime, home, program, tarballs, commands }).catch(
      (error: unknown) => strandedOn(runtime, error),
    )
    ledgers.push(ledger)
  }
  return ledgers
}

function strandedOn({ name }: Runtime, error: unknown): Ledger {
  const lines = [{ name: 'came', value: 'not through', must: 'through' }]
  return { title: name, lines, details: String(error).split('\n') }
}

interface Way {
  readonly runtime: Runtime
  readonly home: string
  readonly program: readonly string[]
  readonly tarballs: Tarballs
  readonly commands: Commands
}

async function followOn({ runtime, home, program, tarballs, commands }: Way): Promise<Ledger> {
  const began = performance.now()
  const reached: Line[] = []
  const elapsed = () => Math.round((performance.now() - began) / 1_000)
  const reach = (step: string) => reached.push({ name: `seconds: ${step}`, value: elapsed() })
  const start = join(home, 'start')
  await mkdir(start, { recursive: true })
  const on = (args: readonly string[]) => [...program.slice(1), ...args]
  const [runs = ''] = program
  // What `npm create posthorn shop` does: it installs the one package and runs its program.
  await commands.install(start, [tarballs.files.get('create-posthorn') ?? ''])
  const create = join('node_modules', 'create-posthorn', 'bin', 'create-posthorn.mjs')
  await commands.run(runs, on([create, 'shop']), start)
  reach('the service made')
  const shop = join(start, 'shop')
  await useTarballs(shop, tarballs)
  await commands.install(shop, [])
  reach('its packages installed')

  const cli = join('node_modules', '@posthorn', 'cli', 'bin', 'posthorn.mjs')
  await using service = commands.start(runs, on(['src/main.ts']), { cwd: shop, env: { PORT: '0' } })
  const url = await service.hear(/'(http:\/\/127\.0\.0\.1:\d+\/orders)/)
  const placed = await fetch(`${url}?item=lamp`, { method: 'POST' })
  const order = /order (\d+)/.exec(await placed.text())?.[1]
  const shipped = await service.hear(/order (\d+) is shipped/)
  reach('first message')

  const config = ['--config', 'src/outboxes.ts']
  await using dashboard = commands.start(runs, on([cli, 'dashboard', ...config, '--port', '0']), {
    cwd: shop,
  })
  const link = await dashboard.hear(/(http:\/\/127\.0\.0\.1:\d+\/#token=\S+)/)
  const messages = await countMessages(link)
  reach('seen in the dashboard')
  const doctor = await commands.run(runs, on([cli, 'doctor', ...config]), shop)
  reach('examined by the doctor')
  const seconds = elapsed()
  const tests = await commands.run(runs, runtime.test, shop)
  reach('its own tests passed')
  return {
    title: `${runtime.name}, ${seconds} s from the empty folder`,
    lines: [
      ...reached,
      { name: 'order that was shipped', value: shipped, must: order ?? 'none' },
      { name: 'messages in the dashboard', value: messages, must: 1 },
      {
        name: 'the doctor',
        value: doctor.trim().split('\n').at(-1) ?? '',
        must: 'all checks passed',
      },
      { name: 'its own tests that passed', value: countPassed(tests), must: 2 },
      { name: 'seconds until the doctor has been', value: seconds, atMost: PATIENCE_S },
    ],
    details: [...doctor.trim().split('\n'), ...tests.trim().split('\n')],
  }
}

/** `pass 2`, `2 pass` and `2 passed`, by what each runtime prints at the end. */
function countPassed(printed: string): number {
  const found = /\bpass (\d+)|\b(\d+) pass/.exec(printed)
  return Number(found?.[1] ?? found?.[2] ?? 0)
}

/** As the newcomer sees it: the outbox, and its message in the list. */
async function countMessages(link: string): Promise<number> {
  const browser = await chromium.launch({ executablePath: await ensureChromium() })
  try {
    const page = await browser.newPage()
    await page.goto(link)
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await pages.getByRole('link', { name: 'Outboxes' }).click()
    await page.getByRole('link', { name: 'shop.outbox' }).first().waitFor()
    await pages.getByRole('link', { name: 'Messages' }).click()
    const placed = page.getByRole('gridcell', { name: 'order.placed' })
    await placed.first().waitFor()
    return await placed.count()
  } finally {
    await browser.close()
  }
}

/** Our packages as files, each with those of ours that it needs. */
interface Tarballs {
  readonly files: ReadonlyMap<string, string>
  readonly needs: ReadonlyMap<string, readonly string[]>
}

/** Reads the folder that `npm run pack -- --to` has filled. */
async function readTarballs(folder: string): Promise<Tarballs> {
  const files = new Map<string, string>()
  const needs = new Map<string, readonly string[]>()
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const { stdout } = await promisify(execFile)('tar', ['-xzOf', file, 'package/package.json'])
    const manifest = JSON.parse(stdout)
    files.set(manifest.name, file)
    needs.set(manifest.name, Object.keys(manifest.dependencies ?? {}))
  }
  return { files, needs }
}

/**
 * Puts the files in the place of what a service asks npm for by version, and of what that asks for in
 * turn: nothing of ours is published yet. Nothing else is added.
 */
async function useTarballs(service: string, tarballs: Tarballs): Promise<void> {
  const path = join(service, 'package.json')
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  const reached = new Set<string>()
  const reach = (name: string) => {
    if (reached.has(name) || !tarballs.files.has(name)) return
    reached.add(name)
    tarballs.needs.get(name)?.forEach(reach)
  }
  const groups = [manifest.dependencies, manifest.devDependencies]
  for (const group of groups) Object.keys(group).forEach(reach)
  const specOf = (name: string) => `file:${tarballs.files.get(name)}`
  for (const group of groups) {
    for (const name of Object.keys(group)) if (reached.has(name)) group[name] = specOf(name)
  }
  const direct = new Set(groups.flatMap((group) => Object.keys(group)))
  const indirect = [...reached].filter((name) => !direct.has(name))
  manifest.overrides = Object.fromEntries(indirect.map((name) => [name, specOf(name)]))
  await writeFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`)
}
