/*
 * The heavy proof: what kills processes, servers and brokers, tells whole stories or looks at every
 * page. `npm run check` runs the short form of each after the tests, `npm run check -- --full` the
 * full one. A proof is a program of this repository with its arguments, or test files that `npm test`
 * leaves out and that read `PROOF`; without `short` it is part of the full check only.
 */

/** Processes killed at the points that stand for the others; at every point with `PROOF=full`. */
const KILLS = [
  'apps/server/src/killed-server.test.ts',
  'packages/domain/src/commit-kill.test.ts',
  'packages/saga/src/crash.test.ts',
  'packages/saga/src/fork-crash.test.ts',
  'packages/transports/src/killed-consumer.test.ts',
  'systems/evidence/crash.test.ts',
  'systems/evidence/workers.test.ts',
  'systems/orders/crash.test.ts',
  'systems/payments/charges/crash.test.ts',
  'systems/payments/charges/storm.test.ts',
  'systems/payments/reconciliation/runs/crash.test.ts',
  'systems/payments/webhooks/crash.test.ts',
]

/**
 * The demo from the API, the command line and the browser, a breaker until it closes, the main tasks by keyboard, every page at
 * every width, in both themes and without its server.
 */
const STORIES = [
  'apps/cli/src/demo.test.ts',
  'apps/dashboard/test/breakers.test.ts',
  'apps/dashboard/test/demo.test.ts',
  'apps/dashboard/test/keyboard.test.ts',
  'apps/dashboard/test/killed-server.test.ts',
  'apps/dashboard/test/looks.test.ts',
  'apps/dashboard/test/outage.test.ts',
  'apps/server/src/demo/demo.test.ts',
  'apps/server/src/secrets.test.ts',
]

/** Archives that ask for more memory than there is: half a minute of packing and reading. */
const BOUNDS = ['systems/evidence/archive/bounds.test.ts']

/** Part of `npm test` too, with fewer runs. */
const MODEL = [
  'packages/engine/src/relay/model.test.ts',
  'packages/saga/src/property.test.ts',
  'systems/messages/statuses/statuses.test.ts',
  'systems/payments/charges/inbound/arrival-order.test.ts',
  'systems/payments/reconciliation/runs/properties.test.ts',
]

/** Services that `npm create posthorn` makes: each with its tests, each broker for real. Part of `npm test` too. */
const PACKAGES = ['test/package/package.test.ts']

/** The real Debezium, in a JVM of its own: half a minute to start. */
const DEBEZIUM = ['test/debezium/debezium.test.ts']

/** The image as its Dockerfile makes it, the chart and the Compose files: their readers are built once. */
const CONTAINERS = [
  'test/container/chart.test.ts',
  'test/container/compose.test.ts',
  'test/container/image.test.ts',
]

/** Bun and Deno, which npm fetches once. */
const RUNTIMES = ['test/package/runtimes.test.ts']

/** Topics behind a PgBouncer: the conformance suite once more, where every wake-up is a poll. */
const POOLER = ['packages/transports/src/postgres/pgbouncer.test.ts']

const OUTAGES = ['systems/evidence/outages.test.ts']

export const proofs = [
  { name: 'crash', program: 'test/crash/main.ts', short: ['--ci'], full: ['--full'] },
  {
    name: 'chaos',
    program: 'test/chaos/main.ts',
    short: ['--ci', '--quiet'],
    full: ['--minutes', '10'],
  },
  { name: 'failover', program: 'test/failover/main.ts', full: [] },
  { name: 'upgrade', program: 'test/upgrade/main.ts', full: ['--full'] },
  { name: 'upgrade of systems', program: 'test/upgrade/main.ts', full: ['--systems'] },
  { name: 'kills', files: KILLS, short: true, full: true },
  { name: 'stories', files: STORIES, short: true, full: true },
  { name: 'bounds', files: BOUNDS, short: true, full: true },
  { name: 'model', files: MODEL, full: true },
  { name: 'runtimes', files: RUNTIMES, short: true, full: true },
  { name: 'packages', files: PACKAGES, full: true },
  { name: 'outages', files: OUTAGES, short: true, full: true },
  { name: 'pooler', files: POOLER, short: true, full: true },
  { name: 'debezium', files: DEBEZIUM, short: true, full: true },
  { name: 'containers', files: CONTAINERS, short: true, full: true },
  { name: 'locks', program: 'test/upgrade/main.ts', full: ['--locks', '--rows', '1000000'] },
  { name: 'restore', program: 'test/restore/main.ts', full: ['--full'] },
  { name: 'flood', program: 'test/flood/main.ts', full: [] },
  { name: 'release', program: 'test/release/main.ts', full: [] },
  { name: 'fuzz', program: 'test/fuzz/main.ts', full: [] },
  { name: 'peers', program: 'test/chaos/peers/main.ts', full: [] },
  // A bug that is put in must be found.
  { name: 'seeded answer', program: 'test/chaos/seeded/main.ts', full: ['answer'] },
  { name: 'seeded fence', program: 'test/chaos/seeded/main.ts', full: ['fence'] },
  { name: 'newcomer', program: 'test/newcomer/main.ts', full: [] },
]

/** What `npm run check` runs after the tests: `npm test` leaves it out, unless it is given one. */
export const heavyTests = proofs
  .filter(({ short }) => short !== undefined)
  .flatMap(({ files = [] }) => files)
