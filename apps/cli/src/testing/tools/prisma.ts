import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { MigrationTool } from './tool.ts'

/**
 * The schema engine that `prisma migrate deploy` hands its migrations to, as WebAssembly: the command itself
 * downloads a binary of it.
 */
export const prisma: MigrationTool = {
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
