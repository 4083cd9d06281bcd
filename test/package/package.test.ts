import { execFile, spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { withBroker } from '@posthorn/engine/testing'
import { build } from 'esbuild'
import { DESTINATIONS, ORMS } from 'create-posthorn'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { complaintsAbout } from '../../scripts/packing/lint.mjs'
import { importsOf } from '../architecture/imports.ts'
import { withEmptyDatabase } from '../docs/empty-database.ts'
import { root } from '../docs/markdown.ts'
import { runScript, type Run } from '../docs/program.ts'
import {
  install,
  npmInstall,
  pack,
  type Installation,
  type InstalledPackage,
} from './installation.ts'
import { once } from 'node:events'

/** What a service is made of: its `--orm` and its `--to`. */
type Parts = readonly [orm: string, to: string]

/**
 * With the packages that this repository has of them, by a link each: what npm would install for a
 * service that asks for Drizzle or Prisma is as large as all of ours together.
 */
async function linkOrms(folder: string): Promise<void> {
  for (const name of ['drizzle-orm', '@prisma/client', '@prisma/adapter-pg']) {
    const at = join(folder, 'node_modules', name)
    await mkdir(dirname(at), { recursive: true })
    await symlink(join(root, 'node_modules', name), at)
  }
}

/** Does what `npm install` does in the folder of a service after the packages are there. */
async function prepareService(service: string): Promise<void> {
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
async function compileServices(folder: string, services: readonly string[]): Promise<string> {
  const config = join(folder, 'tsconfig.services.json')
  const include = services.flatMap((name) => [`${name}/src`, `${name}/test`])
  await writeFile(config, JSON.stringify({ extends: `./${services[0]}/tsconfig.json`, include }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = await runScript(compiler, ['-p', config])
  return stdout + stderr
}

/** Runs the service's own tests as its `npm test` does. */
async function testService(service: string): Promise<Run> {
  const { scripts } = JSON.parse(await readFile(join(service, 'package.json'), 'utf8'))
  const [, ...args] = String(scripts.test).split(' ')
  return runScript(args[0] ?? '', args.slice(1), { cwd: service, limitMs: 120_000 })
}

/** Starts the service, places an order and returns what it says until it is shipped. */
async function placeOrder(service: string, env: Record<string, string>): Promise<string> {
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

// Compilers and servers on a machine that has other things to do.

let installation: Installation

/** Every library with handlers, and every destination with pg. */
const SERVICES: readonly Parts[] = [
  ...ORMS.map((orm) => [orm, 'handlers'] as const),
  ...DESTINATIONS.filter((to) => to !== 'handlers').map((to) => ['pg', to] as const),
]

/** Each starts a PostgreSQL: the others, and brokers that are real, come with the full proof. */
const STAND_FOR_OTHERS = ['pg handlers', 'drizzle handlers', 'prisma handlers', 'pg kafka']
const isFull = process.env['PROOF'] === 'full'

const BROKERS = {
  kafka: 'KAFKA_BROKERS',
  rabbitmq: 'RABBITMQ_URL',
  nats: 'NATS_URL',
  redis: 'REDIS_URL',
  sqs: 'SQS_ENDPOINT',
}

beforeAll(async () => {
  installation = await install()
}, 1_200_000)

afterAll(() => installation?.remove())

test('the example runs with the installed packages, on a PostgreSQL of its own', async () => {
  const main = join(installation.folder, 'main.ts')
  const first = await runScript(main, [], { env: { DATABASE_URL: '' } })
  const stdout = 'order 1 is stored\norder 1 is packed\n'
  expect(first).toEqual({ status: 0, stderr: '', stdout })
  const second = await runScript(main, [], { env: { DATABASE_URL: '' } })
  expect(second.stdout).toBe('order 2 is stored\norder 2 is packed\n')
})

test('the example compiles against the shipped declarations', async () => {
  expect(await typeErrors('main.ts', { skipLibCheck: true })).toBe('')
})

test('what users make of the functions has types that their own declarations can name', async () => {
  const text = `import { consoleTransport, createRelay, outbox, posthorn, relays, type Transaction } from '@posthorn/engine'
import { readJourney } from '@posthorn/operate'
import { Pool } from 'pg'
const pool = new Pool()
export const events = outbox<{ placed: { order: number } }>('shop.outbox', { order: 'payload.order' })
export const placed = events.handle({ placed: async () => undefined })
export const app = posthorn({ pool, handlers: placed })
export const relay = createRelay({ pool, outboxes: [], transports: {} })
export const many = relays({})
export const printed = consoleTransport()
export const place = (tx: Transaction) => events.enqueue(tx, 'placed', { order: 1 })
export const drain = () => relay.drain({ for: '1s' })
export const look = () => many.status()
export const journey = (...asked: Parameters<typeof readJourney>) => readJourney(...asked)
`
  await writeFile(join(installation.folder, 'named.ts'), text)
  expect(await typeErrors('named.ts', { skipLibCheck: true, declaration: true })).toBe('')
})

test('every door of every package has declarations without errors', async () => {
  const imports = doors().map((door, i) => `import type * as door${i} from '${door}'`)
  const uses = doors().map((_, i) => `keyof typeof door${i}`)
  const text = `${imports.join('\n')}\nexport type Names = ${uses.join(' | ')}\n`
  await writeFile(join(installation.folder, 'doors.ts'), text)
  const errors = await typeErrors('doors.ts', { skipLibCheck: false })
  // Other people's declarations are read too, and are not ours to judge.
  const ours = errors
    .split('\n')
    .filter((line) => /(doors\.ts|\/@posthorn\/.+)\(\d+,\d+\): /.test(line))
  expect(ours).toEqual([])
})

test('every door can be imported, and required', async () => {
  const script = join(installation.folder, 'doors.mjs')
  await writeFile(
    script,
    `import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    for (const door of ${JSON.stringify(doors())}) {
      const { size } = new Set([...Object.keys(await import(door)), ...Object.keys(require(door))])
      if (size === 0) console.log(door + ' exports nothing')
    }`,
  )
  expect(await runScript(script, [])).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('a package has its doors built, and the same version of our others', async () => {
  const { packages } = installation
  for (const { manifest, files } of packages) {
    const source = JSON.parse(await readFile(manifestOf(manifest.name), 'utf8'))
    const { exports = {} } = { ...source, ...source.publishConfig }
    expect(Object.keys(manifest.exports ?? {}), manifest.name).toEqual(Object.keys(exports))
    // The dashboard's door is its sources, for its own build.
    const built = Object.values(manifest.exports ?? {}).flatMap((door) =>
      typeof door === 'string' ? [door] : [door.types, door.default],
    )
    expect(files.map((file) => `./${file}`)).toEqual(expect.arrayContaining(built))
    for (const other of packages) {
      const wanted = manifest.dependencies[other.manifest.name] ?? other.manifest.version
      expect(wanted, manifest.name).toBe(other.manifest.version)
    }
  }
})

test('a package holds modules with their declarations, migrations, and no tests', () => {
  for (const { manifest, files, text } of installation.packages) {
    const shipped =
      manifest.name === '@posthorn/dashboard'
        ? /^(dist\/(\w+\.(html|json)|assets\/[^/]+)|src\/.+\.(tsx?|css)|public\/.+|build\.mjs|\w+\.html|errors\.md|package\.json|README\.md)$/
        : /^((dist|bin)\/.+\.(m?js|d\.ts)|dist\/(.+\/)?migrations\/\d+_\w+\.sql|package\.json|README\.md)$/
    const site = manifest.name === '@posthorn/server' ? 'dist/docs/' : undefined
    const own = files.filter((file) => site === undefined || !file.startsWith(site))
    expect(own.length < files.length).toBe(site !== undefined)
    expect(own.filter((file) => !shipped.test(file))).toEqual([])
    expect(files.filter((file) => file.includes('.test.'))).toEqual([])
    const isDoor = Object.keys(manifest.exports ?? {}).includes('./testing')
    expect(files.some((file) => file.startsWith('dist/testing/'))).toBe(isDoor)
    expect(text('LICENSE')).toContain('MIT License')
    const readme = text('README.md')
    const isCreated = manifest.name === 'create-posthorn'
    expect(readme).toContain(isCreated ? 'npm create posthorn' : `npm install ${manifest.name}`)
    expect(readme).toMatch(/\n```(ts|sh)\n(?!npm install)[^]+?\n```\n/)
    expect(readme).toMatch(/\]\(https:\/\//)
    expect(readme).not.toContain(`/package/${manifest.name})`)
  }
  const migrations = installation.packages.flatMap(({ files }) =>
    files.filter((file) => file.endsWith('.sql')),
  )
  expect(migrations).toContain('dist/migrations/0001_engine.sql')
  expect(migrations).toContain('dist/postgres/migrations/0001_topics.sql')
})

test('the engine is few files, so that a process has it soon', async () => {
  const script = join(installation.folder, 'loaded.mjs')
  await writeFile(
    script,
    `import { registerHooks } from 'node:module'
    let files = 0
    registerHooks({
      load(url, context, next) {
        files += url.includes('/@posthorn/engine/')
        return next(url, context)
      },
    })
    await import('@posthorn/engine')
    console.log(files)`,
  )
  const { stdout, stderr } = await runScript(script, [])
  expect({ files: Number(stdout) <= 12, stderr }, stdout).toEqual({ files: true, stderr: '' })
})

test.each(['esm', 'cjs'] as const)(
  'an application in one file, as %s of esbuild, makes its tables and runs',
  async (format) => {
    const source = join(installation.folder, 'bundled.ts')
    await writeFile(
      source,
      `import { migrate, outbox, posthorn } from '@posthorn/engine'
      import { sagaMigrations } from '@posthorn/saga'
      import { topicMigrations } from '@posthorn/transports/postgres'
      import { Pool } from 'pg'
      async function main() {
        const pool = new Pool({ connectionString: process.env.DATABASE_URL })
        const events = outbox<{ placed: { order: number } }>('shop.outbox')
        const handlers = events.handle({ placed: async ({ payload }) => console.log(payload.order) })
        const app = await posthorn({ pool, handlers }).setUp()
        await migrate(pool, [await topicMigrations(), await sagaMigrations()])
        await app.transaction((tx) => events.enqueue(tx, 'placed', { order: 7 }))
        await app.runOnce()
        await pool.end()
      }
      void main()`,
    )
    // Away from the packages and what stands next to their modules.
    const bundle = join(installation.folder, 'bundles', `app.${format === 'esm' ? 'mjs' : 'cjs'}`)
    await build({
      ...{ entryPoints: [source], outfile: bundle, format, bundle: true, platform: 'node' },
      ...{ target: 'node22', external: ['pg', '@opentelemetry/api'], logLevel: 'error' },
    })
    // `source()` prints such a line, within a text.
    expect(await readFile(bundle, 'utf8')).not.toMatch(/^import .*@posthorn|require\("@posthorn/m)
    await withEmptyDatabase(async (url) => {
      const run = await runScript(bundle, [], { env: { DATABASE_URL: url } })
      expect(run).toEqual({ status: 0, stdout: '7\n', stderr: '' })
    })
  },
)

test("a route of Next.js runs as bundled for Node, as the framework's build does", async () => {
  const source = join(installation.folder, 'next-route.ts')
  await cp(join(root, 'examples/next/app/orders/route.ts'), source)
  const outfile = join(installation.folder, 'bundles', 'next-route.mjs')
  await build({
    ...{ entryPoints: [source], outfile, format: 'esm', bundle: true, platform: 'node' },
    ...{ target: 'node22', external: ['pg', '@opentelemetry/api'], logLevel: 'error' },
  })
  const caller = join(installation.folder, 'bundles', 'call-route.mjs')
  await writeFile(
    caller,
    `import { POST } from './next-route.mjs'
    const body = JSON.stringify({ order: 7 })
    const answer = await POST(new Request('http://localhost/orders', { method: 'POST', body }))
    console.log(answer.status, (await answer.json()).sent)
    process.exit()`,
  )
  await withEmptyDatabase(async (url) => {
    const run = await runScript(caller, [], { env: { DATABASE_URL: url } })
    expect(run).toEqual({ status: 0, stdout: 'order 7 is placed\n200 1\n', stderr: '' })
  })
})

test('publint and attw find nothing to say against a package', async () => {
  const files = installation.tarballs.map((file) => join(installation.folder, 'tarballs', file))
  const complaints = await Promise.all(files.map(complaintsAbout))
  expect(complaints.flat()).toEqual([])
})

test('the example on the page of each package compiles', async () => {
  const names = installation.packages.flatMap(({ manifest, text }) => {
    const example = /\n```ts\n([^]+?)\n```\n/.exec(text('README.md'))?.[1]
    return example === undefined ? [] : [[manifest.name.split('/')[1] ?? '', example] as const]
  })
  expect(names.length).toBeGreaterThan(7)
  const files = names.map(([name]) => `page-${name}.ts`)
  for (const [name, example] of names) {
    await writeFile(join(installation.folder, `page-${name}.ts`), example)
  }
  expect(await typeErrors(files, { skipLibCheck: true })).toBe('')
})

describe('a service that was made', () => {
  const folderOf = ([orm, to]: Parts) => join(installation.folder, `shop-${orm}-${to}`)

  beforeAll(async () => {
    await linkOrms(installation.folder)
    for (const parts of SERVICES) {
      const [orm, to] = parts
      const args = [folderOf(parts), '--orm', orm, '--to', to]
      expect(await runScript(bin('create-posthorn'), args)).toMatchObject({ status: 0 })
      await prepareService(folderOf(parts))
    }
  }, 300_000)

  test('is the same by npm create and by the command line, and stays as it is', async () => {
    const folder = folderOf(['pg', 'handlers'])
    const twin = join(installation.folder, 'twin', basename(folder))
    const made = await runScript(bin('@posthorn/cli', 'posthorn'), ['init', twin])
    expect(made).toMatchObject({ status: 0, stdout: expect.stringContaining('src/outboxes.ts') })
    const files = made.stdout.trim().split('\n')
    expect(globSync('**/*.*', { cwd: folder }).toSorted()).toEqual(
      files.filter((file) => file !== '.gitignore').toSorted(),
    )
    for (const file of files) {
      expect(readFileSync(join(twin, file), 'utf8')).toBe(readFileSync(join(folder, file), 'utf8'))
    }
    for (const [program, args] of [
      [bin('@posthorn/cli', 'posthorn'), ['init', folder]],
      [bin('create-posthorn'), [folder]],
    ] as const) {
      const again = await runScript(program, args)
      expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('is not empty') })
    }
  })

  test('comes from an empty folder by the one package, as `npm create posthorn` has npm do', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'posthorn-empty-'))
    onTestFinished(() => rm(empty, { recursive: true }))
    const tarball = installation.tarballs.find((file) => file.startsWith('create-posthorn-')) ?? ''
    const file = join(installation.folder, 'tarballs', tarball)
    const args = [
      'exec',
      '--yes',
      '--package',
      file,
      '--',
      'create-posthorn',
      'shop',
      '--to',
      'nats',
    ]
    const { stdout } = await promisify(execFile)('npm', args, { cwd: empty })
    expect(stdout.trim().split('\n').toSorted()).toEqual(
      [...globSync('shop/**/*.*', { cwd: empty }), 'shop/.gitignore']
        .map((path) => path.slice('shop/'.length))
        .toSorted(),
    )
  })

  test.each([
    ['another library', ['--orm', 'typeorm'], "--orm is one of pg, drizzle, prisma; not 'typeorm'"],
    ['another broker', ['--to', 'pulsar'], "; not 'pulsar'"],
    ['an option that is none', ['--tests'], 'npm create posthorn [folder]'],
    ['two folders', ['one', 'other'], 'one folder, not also other'],
  ])('is refused with %s, in words', async (_, args, words) => {
    const refused = await runScript(bin('create-posthorn'), [...args])
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(words) })
  })

  test('compiles in every combination', async () => {
    const names = SERVICES.map((parts) => basename(folderOf(parts)))
    expect(await compileServices(installation.folder, names)).toBe('')
  })

  test.each(SERVICES.filter((parts) => isFull || STAND_FOR_OTHERS.includes(parts.join(' '))))(
    'passes its own tests: %s, %s',
    async (...parts) => {
      const { status, stdout } = await testService(folderOf(parts))
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/pass 2\n/) })
    },
  )

  for (const [to, variable] of isFull ? Object.entries(BROKERS) : []) {
    withBroker(variable, () => {
      test(`ships an order that went through ${to}`, async () => {
        await withEmptyDatabase(async (url) => {
          const said = await placeOrder(folderOf(['pg', to]), { DATABASE_URL: url })
          expect(said).toContain('order 1 is shipped: lamp\n')
        })
      })
    })
  }
})

/** Jest is as large as all that this repository has for its own tests: it comes with the full proof. */
if (isFull) {
  test('the example for Jest passes, and compiles', async () => {
    const folder = join(installation.folder, 'jest')
    await cp(join(root, 'examples/jest'), folder, { recursive: true })
    const file = join(folder, 'package.json')
    const { dependencies: _, ...manifest } = JSON.parse(await readFile(file, 'utf8'))
    // Ours are found where those of the other examples are, one folder above.
    await writeFile(file, JSON.stringify(manifest))
    await npmInstall(folder)
    const [, ...args] = String(manifest.scripts.test).split(' ')
    const run = await runScript(args[0] ?? '', args.slice(1), { cwd: folder, limitMs: 120_000 })
    expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining('1 passed, 1 total') })
    expect(await typeErrors('jest/shop.test.ts', { skipLibCheck: true })).toBe('')
  })

  test('Next.js builds the example, and its route stores and delivers', async () => {
    // Away from the other packages: Next.js looks for the root of a workspace.
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-next-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await cp(join(root, 'examples/next'), folder, { recursive: true })
    const engine = installation.tarballs.find((file) => file.startsWith('posthorn-engine-')) ?? ''
    const dependencies = {
      ...{ next: '^16.4.6', react: '^19.0.0', 'react-dom': '^19.0.0', pg: '^8.23.1' },
      ...{ typescript: '^5.9.0', '@types/node': '*', '@types/react': '*', '@types/pg': '*' },
      '@posthorn/engine': `file:${join(installation.folder, 'tarballs', engine)}`,
    }
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await npmInstall(folder)
    const next = join(folder, 'node_modules/next/dist/bin/next')
    const quiet = { NEXT_TELEMETRY_DISABLED: '1' }
    const built = await runScript(next, ['build'], { cwd: folder, env: quiet, limitMs: 300_000 })
    expect(built).toMatchObject({ status: 0, stdout: expect.stringContaining('/orders') })
    await withEmptyDatabase(async (url) => {
      const args = [next, 'start', '-p', '0', '-H', '127.0.0.1']
      const env = { ...process.env, ...quiet, DATABASE_URL: url }
      const child = spawn(process.execPath, args, { cwd: folder, env })
      const closed = once(child, 'close')
      try {
        const at = await new Promise<string>((resolve, reject) => {
          let said = ''
          child.stdout.on('data', (chunk) => {
            said += String(chunk)
            const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
            if (found !== undefined && said.includes('Ready')) resolve(found)
          })
          child.once('close', () => reject(new Error(`it ended: ${said}`)))
        })
        const body = JSON.stringify({ order: 7 })
        const answer = await fetch(`${at}/orders`, { method: 'POST', body })
        expect(await answer.json()).toMatchObject({ sent: 1 })
      } finally {
        child.kill('SIGTERM')
        await closed
      }
    })
  })
}

test('a package imports only what it declares', () => {
  const libraries = installation.packages.filter(
    ({ manifest }) => manifest.name !== '@posthorn/dashboard',
  )
  const undeclared = libraries.flatMap((each) =>
    code(each).flatMap((file) =>
      importsOf(each.text(file))
        .filter((specifier) => !isDeclared(specifier, each))
        .map((specifier) => `${each.manifest.name}/${file}: ${specifier}`),
    ),
  )
  expect(undeclared).toEqual([])
})

test('nothing in a package tells where it was built', () => {
  for (const { manifest, files, text } of installation.packages) {
    const telling = files.filter(
      (file) => /posthorn-pack-/.test(text(file)) || text(file).includes(`${root}/`),
    )
    expect(telling, manifest.name).toEqual([])
  }
})

test('packing again gives the same bytes', async () => {
  const again = join(installation.folder, 'again')
  const { status, stdout } = await pack('--to', again, 'postgres')
  expect({ status, lines: stdout.split('\n').length }).toEqual({ status: 0, lines: 2 })
  const tarball = installation.tarballs.find((file) => file.includes('-postgres-')) ?? ''
  const first = await readFile(join(installation.folder, 'tarballs', tarball))
  expect(first.equals(await readFile(join(again, tarball)))).toBe(true)
})

test('a package that does not exist is named', async () => {
  const { status, stderr } = await pack('engines')
  expect(status).toBe(1)
  expect(stderr).toContain('No such package: engines.')
})

/**
 * What can be imported from all packages: `@posthorn/engine`, `@posthorn/engine/testing`, … Sources are
 * for a build: the dashboard's own test has those.
 */
function doors(): string[] {
  return installation.packages.flatMap(({ manifest }) =>
    Object.entries(manifest.exports ?? {})
      .filter(([, door]) => typeof door !== 'string')
      .map(([door]) => manifest.name + door.slice(1)),
  )
}

/** A program of an installed package. */
function bin(name: string, program = name): string {
  return join(installation.folder, 'node_modules', name, `bin/${program}.mjs`)
}

/** Where a package's sources are. */
function manifestOf(name: string): string {
  const folder = name.replace('@posthorn/', '')
  const places = [join('packages', folder), join('apps', folder), folder]
  const files = places.map((place) => join(root, place, 'package.json'))
  return files.find((file) => existsSync(file)) ?? ''
}

/** Without the documentation's: they run in a browser, and are bundled. */
function code({ files }: InstalledPackage): string[] {
  return files.filter((file) => /\.(js|d\.ts)$/.test(file) && !file.startsWith('dist/docs/'))
}

function isDeclared(specifier: string, { manifest }: InstalledPackage): boolean {
  const isBuiltIn = specifier.startsWith('node:') || builtinModules.includes(specifier)
  if (specifier.startsWith('.') || isBuiltIn) return true
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  return name in { ...dependencies, ...optionalDependencies, ...peerDependencies }
}

/** As the compiler prints them, for files in the example's folder. */
async function typeErrors(
  file: string | readonly string[],
  options: { skipLibCheck: boolean; declaration?: boolean },
): Promise<string> {
  const config = join(installation.folder, 'tsconfig.json')
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2024', module: 'nodenext', types: ['node'] },
    ...{ allowImportingTsExtensions: true, verbatimModuleSyntax: true, erasableSyntaxOnly: true },
    ...options,
  }
  await writeFile(config, JSON.stringify({ compilerOptions, files: [file].flat() }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = await runScript(compiler, ['-p', config])
  return stdout + stderr
}
