import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../docs/markdown.ts'
import { runScript, type Run } from '../docs/program.ts'

/** What a service is made of: its `--orm` and its `--to`. */
export type Parts = readonly [orm: string, to: string]

/**
 * With the packages that this repository has of them, by a link each: what npm would install for a
 * service that asks for Drizzle or Prisma is as large as all of ours together.
 */
export async function linkOrms(folder: string): Promise<void> {
  for (const name of ['drizzle-orm', '@prisma/client', '@prisma/adapter-pg']) {
    const at = join(folder, 'node_modules', name)
    await mkdir(dirname(at), { recursive: true })
    await symlink(join(root, 'node_modules', name), at)
  }
}

/** Does what `npm install` does in the folder of a service after the packages are there. */
export async function prepareService(service: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(service, 'package.json'), 'utf8'))
  if (scripts.postinstall === undefined) return
  const [program, ...args] = String(scripts.postinstall).split(' ')
  if (program !== 'prisma') throw new Error(`Who is ${program}?`)
  const cli = join(root, 'node_modules/prisma/build/index.js')
  // Only migrations need the schema engine: any file in its place, and nothing is downloaded.
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' }
  const { status, stdout, stderr } = await runScript(cli, args, { env, cwd: service })
  if (status !== 0) throw new Error(`${scripts.postinstall}: ${stdout}${stderr}`)
}

/** Compiles services that lie side by side as each would alone: they have the same settings. */
export async function compileServices(
  folder: string,
  services: readonly string[],
): Promise<string> {
  const config = join(folder, 'tsconfig.services.json')
  const include = services.flatMap((name) => [`${name}/src`, `${name}/test`])
  await writeFile(config, JSON.stringify({ extends: `./${services[0]}/tsconfig.json`, include }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = await runScript(compiler, ['-p', config])
  return stdout + stderr
}

/** Runs the service's own tests as its `npm test` does. */
export async function testService(service: string): Promise<Run> {
  const { scripts } = JSON.parse(await readFile(join(service, 'package.json'), 'utf8'))
  const [, ...args] = String(scripts.test).split(' ')
  return runScript(args[0] ?? '', args.slice(1), { cwd: service, limitMs: 120_000 })
}

/** Starts the service, places an order and returns what it says until it is shipped. */
export async function placeOrder(service: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: service,
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let said = ''
  const hear = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      }
      const add = (chunk: unknown) => {
        said += String(chunk)
        look()
      }
      child.stdout.on('data', add)
      child.stderr.on('data', add)
      child.once('close', () => reject(new Error(`it ended without ${pattern}:\n${said}`)))
      look()
    })
  try {
    const url = await hear(/'(http:\/\/127\.0\.0\.1:\d+\/orders)/)
    await fetch(`${url}?item=lamp`, { method: 'POST' })
    await hear(/(is shipped: lamp)/)
  } finally {
    child.kill('SIGTERM')
    await closed
  }
  return said
}
