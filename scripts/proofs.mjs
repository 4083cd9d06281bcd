/*
 * The heavy proof: what kills processes, servers and brokers, tells whole stories or looks at every
 * page. `npm run check` runs the short form of each after the tests, `npm run check -- --full` the
 * full one. A proof is a program of this repository with its arguments, or test files that `npm test`
 * leaves out and that read `PROOF`; without `short` it is part of the full check only.
 */

import { globSync } from 'node:fs'
import { root } from './command.mjs'

/** Test files of systems: `*.proof.test.ts`, which `npm test` leaves out, or `*.property.test.ts`. */
function filesNamed(kind) {
  const exclude = ['**/node_modules/**']
  return globSync(`systems/**/*.${kind}.test.ts`, { cwd: root, exclude }).toSorted()
}

/** Processes killed at the points that stand for the others; at every point with `PROOF=full`. */
const KILLS = [
  'apps/server/src/killed-server.test.ts',
  'packages/domain/src/commit-kill.test.ts',
  'packages/saga/src/run/crash.test.ts',
  'packages/saga/src/run/fork-crash.test.ts',
  'packages/transports/src/killed-consumer.test.ts',
]

/**
 * The demo from the API and the browser, a breaker until it closes, the main tasks by keyboard, every page at
 * every width, in both themes, without its server and after the clock was moved; and what several people do on several pages.
 */
const STORIES = [
  'apps/dashboard/test/demo.test.ts',
  'apps/dashboard/test/keyboard.test.ts',
  'apps/dashboard/test/killed-server.test.ts',
  'apps/dashboard/test/looks.test.ts',
  'apps/dashboard/test/mounted.test.ts',
  'apps/dashboard/test/oidc.test.ts',
  'apps/dashboard/test/outage.test.ts',
  'apps/dashboard/test/tenants.test.ts',
  'apps/dashboard/test/truth.test.ts',
  'test/systems/demo.test.ts',
  'test/systems/secrets.test.ts',
]

/** Part of `npm test` too, with fewer runs. */
const MODEL = [
  'packages/engine/src/relay/model.test.ts',
  'packages/saga/src/run/property.test.ts',
  'test/fuzz/hostile-consumers.test.ts',
  'test/fuzz/hostile-outboxes.test.ts',
]

/** The packages as they are published, and services that `npm create posthorn` makes: each with its tests, each broker for real; an outbox by other libraries too. */
const PACKAGES = ['test/docs/compare.test.ts', 'test/package/package.test.ts']

/** The documentation as it is built and served: its search, its looks, its Markdown. */
const SITE = ['apps/dashboard/test/documentation.test.ts', 'test/docs/kill.test.ts']

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

/** What an older PostgreSQL may not know: every kind of claim and settle, the log, the inbox, migrations. */
const ENGINE = [
  'packages/engine/src/database/migrate.test.ts',
  'packages/engine/src/host/sql-enqueue.test.ts',
  'packages/engine/src/host/posthorn.test.ts',
  'packages/engine/src/inbox/idempotency.test.ts',
  'packages/engine/src/inbox/inbox.test.ts',
  'packages/engine/src/maintain',
  'packages/engine/src/relay/key/keys.test.ts',
  'packages/engine/src/relay/log/log.test.ts',
  'packages/engine/src/relay/row/row-source.test.ts',
  'packages/engine/src/relay/statements.test.ts',
]

/**
 * The engine on another PostgreSQL than the newest, which all other tests run on. An empty DATABASE_URL lets
 * the tests start a server of their own.
 */
const onPostgres = (major, forms) => ({
  ...{ name: `PostgreSQL ${major}`, program: 'scripts/test.mjs', full: ['packages/engine/src'] },
  ...forms,
  env: { POSTHORN_TEST_POSTGRES: major, DATABASE_URL: '' },
})

export const proofs = [
  onPostgres('14', { short: ENGINE }),
  ...['15', '16', '17'].map((major) => onPostgres(major)),
  { name: 'old server', files: ['test/postgres/old-server.test.ts'], short: true, full: true },
  { name: 'crash', program: 'proof/crash/main.ts', short: ['--ci'], full: ['--full'] },
  {
    name: 'chaos',
    program: 'proof/chaos/main.ts',
    short: ['--ci', '--quiet'],
    full: ['--minutes', '10'],
  },
  { name: 'failover', program: 'proof/failover/main.ts', full: [] },
  { name: 'kills', files: KILLS, short: true, full: true },
  { name: 'stories', files: STORIES, short: true, full: true },
  { name: 'site', files: SITE, short: true, full: true },
  { name: 'model', files: [...MODEL, ...filesNamed('property')], full: true },
  { name: 'runtimes', files: RUNTIMES, short: true, full: true },
  { name: 'packages', files: PACKAGES, short: true, full: true },
  { name: 'systems', files: filesNamed('proof'), short: true, full: true },
  { name: 'pooler', files: POOLER, short: true, full: true },
  { name: 'debezium', files: DEBEZIUM, short: true, full: true },
  { name: 'containers', files: CONTAINERS, short: true, full: true },
  { name: 'upgrade', program: 'proof/upgrade/main.ts', full: ['--full'] },
  { name: 'upgrade of systems', program: 'proof/upgrade/main.ts', full: ['--systems'] },
  { name: 'locks', program: 'proof/upgrade/main.ts', full: ['--locks', '--rows', '1000000'] },
  { name: 'restore', program: 'proof/restore/main.ts', full: ['--full'] },
  { name: 'worst', program: 'proof/worst/main.ts', full: [] },
  { name: 'flood', program: 'proof/flood/main.ts', full: [] },
  { name: 'release', program: 'test/release/main.ts', full: [] },
  { name: 'fuzz', program: 'test/fuzz/main.ts', full: [] },
  { name: 'peers', program: 'proof/chaos/peers/main.ts', full: [] },
  // A bug that is put in must be found.
  { name: 'seeded answer', program: 'proof/chaos/seeded/main.ts', full: ['answer'] },
  { name: 'seeded fence', program: 'proof/chaos/seeded/main.ts', full: ['fence'] },
  { name: 'stalls', program: 'proof/stalls/main.ts', full: [] },
  { name: 'newcomer', program: 'test/newcomer/main.ts', full: [] },
]

/** What `npm run check` runs after the tests: `npm test` leaves it out, unless it is given one. */
export const heavyTests = proofs
  .filter(({ short }) => short !== undefined)
  .flatMap(({ files = [] }) => files)
