import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/**/src/**/*.test.ts',
      'apps/**/src/**/*.test.ts',
      'apps/dashboard/test/**/*.test.ts',
      'systems/**/*.test.ts',
      'bench/**/*.test.ts',
      'test/architecture/**/*.test.ts',
      'test/docs/**/*.test.ts',
      'test/package/**/*.test.ts',
    ],
    // Real processes and real connections: threads share too much for that.
    pool: 'forks',
    maxWorkers: 2,
    // What a test prints is shown if it fails.
    silent: 'passed-only',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
