import { defineConfig } from 'vitest/config'

/** Files that change what a whole process shares: its environment or OpenTelemetry's globals. */
const ALONE = [
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
            'apps/dashboard/test/**/*.test.ts',
            'systems/**/*.test.ts',
            'bench/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'test/architecture/**/*.test.ts',
            'test/docs/**/*.test.ts',
            'test/package/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...ALONE],
          // One process runs many files: each module is imported, and a browser started, once for all.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
