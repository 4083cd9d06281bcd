// What `posthorn sql` prints, applied by the tools that people apply their migrations with.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { posthorn, silentLog, type StandardOutbox } from '@posthorn/engine'
import { fakeTransport, testDatabase } from '@posthorn/engine/testing'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../errors.ts'
import { outboxes } from '../testing/outboxes.ts'
import { posthornHere } from '../testing/posthorn.ts'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import knex from 'knex'
import { runner } from 'node-pg-migrate'
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg'

/** A migration as people write it for their tool. */
interface Migration {
  /** Sorts by its name: `0001_posthorn`. */
  readonly name: string
  readonly sql: string
  /** For what cannot be in a transaction; its SQL is one statement. */
  readonly transaction?: 'none'
}

/** A tool that applies migrations, as it is run for production. */
interface MigrationTool {
  readonly name: string
  /** Whether it can run a migration outside a transaction. */
  readonly canRunApart: boolean
  /** Writes the migrations down as the tool wants them, in an empty folder, and applies those that are new. */
  apply(target: { url: string; folder: string }, migrations: readonly Migration[]): Promise<void>
}

/** What `drizzle-kit migrate` runs, on the files that `drizzle-kit generate --custom` makes. */
const drizzleKit: MigrationTool = {
  name: 'Drizzle Kit',
  // All that is pending goes into one transaction.
  canRunApart: false,
  async apply({ url, folder }, migrations) {
    await mkdir(join(folder, 'meta'))
    const entries = migrations.map(({ name }, idx) => ({
      ...{ idx, version: '7', when: 1_767_225_600_000 + idx, tag: name, breakpoints: true },
    }))
    const journal = { version: '7', dialect: 'postgresql', entries }
    await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify(journal))
    for (const { name, sql } of migrations) await writeFile(join(folder, `${name}.sql`), sql)
    const db = drizzle(url)
    try {
      await migrate(db, { migrationsFolder: folder })
    } finally {
      await db.$client.end()
    }
  },
}

const knexMigrate: MigrationTool = {
  name: 'Knex',
  canRunApart: true,
  async apply({ url, folder }, migrations) {
    for (const { name, sql, transaction } of migrations) {
      const config = transaction === 'none' ? 'export const config = { transaction: false }\n' : ''
      const code = `${config}export const up = (knex) => knex.raw(${JSON.stringify(sql)})\nexport const down = () => undefined\n`
      await writeFile(join(folder, `${name}.mjs`), code)
    }
    const db = knex({ client: 'pg', connection: url })
    try {
      await db.migrate.latest({ directory: folder, loadExtensions: ['.mjs'] })
    } finally {
      await db.destroy()
    }
  },
}

const nodePgMigrate: MigrationTool = {
  name: 'node-pg-migrate',
  canRunApart: true,
  async apply({ url, folder }, migrations) {
    for (const { name, sql, transaction } of migrations) {
      const code = `export function up(pgm) {\n  pgm.noTransaction()\n  pgm.sql(${JSON.stringify(sql)})\n}\n`
      if (transaction === 'none') await writeFile(join(folder, `${name}.mjs`), code)
      else await writeFile(join(folder, `${name}.sql`), sql)
    }
    await runner({
      databaseUrl: url,
      dir: folder,
      direction: 'up',
      migrationsTable: 'pgmigrations',
      log: () => undefined,
    })
  },
}

const typeOrm: MigrationTool = {
  name: 'TypeORM',
  canRunApart: true,
  async apply({ url }, migrations) {
    const source = new DataSource({
      type: 'postgres',
      url,
      migrations: migrations.map(classOf),
      migrationsTransactionMode: 'each',
    })
    await source.initialize()
    try {
      await source.runMigrations()
    } finally {
      await source.destroy()
    }
  },
}

/** TypeORM wants the time at the end of a migration's name. */
function classOf({ name, sql, transaction }: Migration, at: number) {
  return class implements MigrationInterface {
    readonly name = `${name}${1_767_225_600_000 + at}`
    readonly transaction = transaction !== 'none'
    async up(on: QueryRunner): Promise<void> {
      await on.query(sql)
    }
    async down(): Promise<void> {}
  }
}

/**
 * The schema engine that `prisma migrate deploy` hands its migrations to, as WebAssembly: the command itself
 * downloads a binary of it.
 */
const prisma: MigrationTool = {
  name: 'Prisma',
  canRunApart: true,
  async apply({ url, folder }, migrations) {
    await load()
    const scripts = new WholeScripts({ connectionString: url })
    const adapter = bindMigrationAwareSqlAdapterFactory(scripts)
    const schema = 'datasource db {\n  provider = "postgresql"\n}\n'
    const engine = await glue.SchemaEngine.new(
      { datamodels: [['schema.prisma', schema]] },
      () => undefined,
      adapter,
    )
    try {
      await engine.applyMigrations({
        migrationsList: {
          baseDir: folder,
          lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
          shadowDbInitScript: '',
          migrationDirectories: migrations.map(({ name, sql }) => ({
            path: name,
            migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
          })),
        },
        filters: { externalTables: [], externalEnums: [] },
      })
    } finally {
      // Its lock is the session's: the next one would wait for it.
      await scripts.dispose()
    }
  },
}

/**
 * The binary sends a migration to the server whole; this adapter cuts it at every semicolon, also at those inside
 * functions.
 */
class WholeScripts extends PrismaPg {
  readonly #open: { dispose(): Promise<void> }[] = []

  async dispose(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((adapter) => adapter.dispose()))
  }

  override async connect() {
    const adapter = await super.connect()
    this.#open.push(adapter)
    return Object.assign(adapter, {
      executeScript: async (script: string) => {
        await adapter.underlyingDriver().query(script)
      },
    })
  }
}

let loaded: Promise<void> | undefined

function load(): Promise<void> {
  loaded ??= (async () => {
    const script = import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    const bytes = await readFile(fileURLToPath(script).replace(/\.js$/, '.wasm'))
    const { instance } = await WebAssembly.instantiate(bytes, {
      './schema_engine_bg.js': glue,
    })
    // oxlint-disable-next-line no-underscore-dangle -- the name that wasm-bindgen gives
    glue.__wbg_set_wasm(instance.exports)
    ;(instance.exports['__wbindgen_start'] as () => void)()
  })()
  return loaded
}

const CONFIG = fileURLToPath(new URL('../testing/stalls.ts', import.meta.url))
const server = await testDatabase()

const print = async (...args: string[]) =>
  (await posthornHere(['sql', '--config', CONFIG, ...args])).stdout
const whole = await print()
const later = await print('--since', '0001', '--since', 'stalls/0001')
/** What the version with `stalls/0001` as its last step printed. */
const former =
  whole.slice(0, whole.indexOf('-- stalls/0002')) +
  whole.slice(whole.indexOf('create schema if not exists market'))
/** What the text says to run before, outside a transaction. */
const [apart = ''] = [...later.matchAll(/^-- {3}(create index concurrently .*;)$/gm)].map(
  ([, statement]) => statement,
)

/** An empty database, and how the tool migrates it. */
async function openEmpty(tool: MigrationTool) {
  const name = `posthorn_tool_${randomBytes(6).toString('hex')}`
  await server.pool.query(`create database ${name}`)
  const at = new URL(server.url)
  at.pathname = `/${name}`
  const url = at.href
  const pool = new Pool({ connectionString: url })
  onTestFinished(async () => {
    await pool.end()
    await server.pool.query(`drop database ${name} with (force)`)
  })
  const apply = async (...migrations: Migration[]) => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-tool-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await tool.apply({ url, folder }, migrations)
  }
  const check = async () => {
    const args = ['migrate', 'status', '--check', '--config', CONFIG]
    return (await posthornHere(args, { DATABASE_URL: url })).code
  }
  return { pool, apply, check }
}

async function deliverOne(pool: Pool): Promise<unknown[]> {
  const [events] = outboxes as unknown as [StandardOutbox<{ 'order.placed': { order: number } }>]
  const transport = fakeTransport()
  const transports = { handlers: transport }
  const app = posthorn({ pool, outboxes: [events], transports, log: silentLog })
  await app.transaction((tx) => events.enqueue(tx, 'order.placed', { order: 7 }, { key: '7' }))
  for (let i = 0; i < 5 && transport.arrived.length === 0; i += 1) await app.runOnce()
  await app.stop()
  return transport.arrived.map(({ payload }) => payload)
}

describe.each([drizzleKit, prisma, nodePgMigrate, knexMigrate, typeOrm])('$name', (tool) => {
  test('sets up an empty database, on which an outbox works', async () => {
    const { pool, apply, check } = await openEmpty(tool)
    await apply({ name: '20260101000000_posthorn', sql: whole })
    expect(await check()).toBe(EXIT.ok)
    expect(await deliverOne(pool)).toEqual([{ order: 7 }])
    // Nothing is new: the tool notes what it applied.
    await apply({ name: '20260101000000_posthorn', sql: whole })
  })

  test('brings the database of an earlier version up to date, in a later migration', async () => {
    const { pool, apply, check } = await openEmpty(tool)
    const first = { name: '20260101000000_posthorn', sql: former }
    await apply(first)
    expect(await check()).toBe(EXIT.negative)
    const migrations: Migration[] = [first]
    if (tool.canRunApart) {
      const name = '20260201000000_posthorn_indexes'
      migrations.push({ name, sql: apart, transaction: 'none' })
      await apply(...migrations)
      const { rows } = await pool.query(
        `select indisvalid from pg_index where indexrelid = 'stalls.stall_city'::regclass`,
      )
      expect(rows).toEqual([{ indisvalid: true }])
    }
    await apply(...migrations, { name: '20260201000001_posthorn', sql: later })
    expect(await check()).toBe(EXIT.ok)
    expect(await deliverOne(pool)).toEqual([{ order: 7 }])
  })
})
