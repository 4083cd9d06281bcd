import { afterAll } from 'vitest'
import {
  createTestDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from './create-database.ts'

/**
 * A migrated database for one test file, cloned from a template. It is dropped after the file's
 * tests, and kept, with its name printed, if one of them failed. Call it at the top of the file.
 */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { drop, ...database } = await createTestDatabase(options)
  // oxlint-disable-next-line no-empty-pattern -- the test runner reads this parameter's pattern
  afterAll(async ({}: object, suite: unknown) => {
    if (hasFailed(suite)) {
      await database.close()
      process.stderr.write(`kept for a look: ${database.url}\n`)
      return
    }
    await drop()
  })
  return database
}

interface TaskLike {
  readonly result?: { readonly state?: string } | undefined
  readonly tasks?: readonly TaskLike[]
}

function hasFailed(task: unknown): boolean {
  const { result, tasks } = task as TaskLike
  return result?.state === 'fail' || (tasks ?? []).some(hasFailed)
}
