import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runner } from 'node-pg-migrate'
import type { MigrationTool } from './tool.ts'

export const nodePgMigrate: MigrationTool = {
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
