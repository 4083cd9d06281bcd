import { afterAll, describe } from 'vitest'
import {
  createTestDatabase,
  serverAddress,
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

/**
 * Runs `suite` with the address of a real server. Without one: in CI a failure, elsewhere a skip that
 * says what to set.
 */
export function withBroker(variable: string, suite: (address: string) => void): void {
  describe(`with ${variable}`, async () => {
    const address = await serverAddress(variable)
    if (address === '') {
      const hint = `${variable} is not set: start the servers with "npm run services start"`
      if (!NO_CI.includes(process.env['CI'])) throw new Error(hint)
      process.stderr.write(`\n  SKIPPED: ${hint}\n\n`)
    }
    describe.skipIf(address === '')('a real one', () => {
      suite(address)
    })
  })
}

/** CI=false and CI=0 are ways of saying no. */
const NO_CI = [undefined, '', 'false', '0']
