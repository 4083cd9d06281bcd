import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { topicMigrations } from '@posthorn/transports/postgres'
import { families } from '../index.ts'

/** A database with the tables of this system and of the Postgres topics. */
export async function familyDatabase(): Promise<TestDatabase> {
  return testDatabase({ migrations: [await topicMigrations(), await families.migrations()] })
}
