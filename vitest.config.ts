import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that change what a whole process shares: its environment or OpenTelemetry's globals. */
const ALONE = [
  'apps/cli/src/commands/doctor.test.ts',
  'packages/engine/src/outbox/trace.test.ts',
  'packages/http/src/server/tracing.test.ts',
  // Its own Postgres, named by the environment.
  'systems/**/outages.proof.test.ts',
]

/** Files that take long: started last, one of them would run while the other processes are done. */
const LONG =
  /dashboard\/test\/|\/web\/[^/]+\.test|conformance\.test|server\/src\/(main|killed|trace|termination)|brokers\.test|open-postgres|model\.test|workers\.proof/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** The proofs, which `npm test` as a whole leaves out. */
const LEFT_OUT = process.env['LEAVE_OUT']?.split(',') ?? []

export default defineConfig({
  test: {
    // Real processes and real connections: threads share too much for that.
    pool: 'forks',
    // Tests wait for databases and brokers half of their time: three leave two processors idle for a quarter of it.
    maxWorkers: 4,
    fsModuleCache: true,
    globalSetup: 'scripts/testing/test-servers.mjs',
    sequence: { sequencer: LongestFirst },
    // What a test prints is shown if it fails.
    silent: 'passed-only',
    // A machine that does other things too is ten times slower: what a test waits for has the time,
    // and says what it saw last before the test itself is out of time.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [
            'packages/**/src/**/*.test.ts',
            'apps/**/src/**/*.test.ts',
            'apps/dashboard/test/**/*.test.ts',
            'systems/**/*.test.ts',
            'bench/**/*.test.ts',
            'proof/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'test/architecture/**/*.test.ts',
            'test/docs/**/*.test.ts',
            'test/container/**/*.test.ts',
            'test/debezium/**/*.test.ts',
            'test/fuzz/**/*.test.ts',
            'test/package/**/*.test.ts',
            'test/systems/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...ALONE, ...LEFT_OUT],
          // One process runs many files: each module is imported, and a browser started, once for all.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, exclude: ['**/node_modules/**', ...LEFT_OUT] },
      },
    ],
  },
})
