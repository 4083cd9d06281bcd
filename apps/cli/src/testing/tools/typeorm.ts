import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm'
import type { Migration, MigrationTool } from './tool.ts'

export const typeOrm: MigrationTool = {
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
    async up(runner: QueryRunner): Promise<void> {
      await runner.query(sql)
    }
    async down(): Promise<void> {}
  }
}
