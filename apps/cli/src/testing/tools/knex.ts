import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import knex from 'knex'
import type { MigrationTool } from './tool.ts'

export const knexMigrate: MigrationTool = {
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
