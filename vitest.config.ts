import { defineConfig } from 'vitest/config'

/**
 * Files that change what is shared by a whole process: its environment or OpenTelemetry's globals.
 * Browser tests are among them, since what a page leaves behind must not reach the next file.
 */
const ALONE = [
  'apps/dashboard/test/**/*.test.ts',
  'apps/cli/src/doctor/doctor.test.ts',
  'packages/engine/src/trace.test.ts',
  'packages/http/src/tracing.test.ts',
  'systems/evidence/outages.test.ts',
]

export default defineConfig({
  test: {
    // Real processes and real connections: threads share too much for that.
    pool: 'forks',
    // Tests wait for databases and brokers half of their time: three keep two processors busy.
    maxWorkers: 3,
    fsModuleCache: true,
    // What a test prints is shown if it fails.
    silent: 'passed-only',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [
            'packages/**/src/**/*.test.ts',
            'apps/**/src/**/*.test.ts',
            'systems/**/*.test.ts',
            'bench/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'test/architecture/**/*.test.ts',
            'test/docs/**/*.test.ts',
            'test/package/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...ALONE],
          // One process runs many files: each module is imported once for all of them.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
