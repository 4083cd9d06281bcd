import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import type { MigrationTool } from './tool.ts'

/** What `drizzle-kit migrate` runs, on the files that `drizzle-kit generate --custom` makes. */
export const drizzleKit: MigrationTool = {
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
