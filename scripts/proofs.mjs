/*
 * The heavy proof: what kills processes, servers and brokers for minutes. `npm run check` runs the
 * short form of each after the tests, `npm run check -- --full` the full one. A proof is a program
 * of this repository with its arguments; without `short` it is part of the full check only.
 */

/** Test files as one proof. With `PROOF=full` in its environment a test takes its full form. */
function tests(files, ...filter) {
  return ['run', '--reporter=minimal', ...files, ...filter]
}

const VITEST = 'node_modules/vitest/vitest.mjs'

const OUTAGES = ['systems/evidence/outages.test.ts']

/** Their tests are part of `npm test` at the points that stand for the others. */
const KILL_POINTS = ['systems/evidence/crash.test.ts', 'systems/orders/crash.test.ts']

export const proofs = [
  { name: 'crash', program: 'test/crash/main.ts', short: ['--ci'], full: ['--full'] },
  { name: 'upgrade', program: 'test/upgrade/main.ts', full: ['--full'] },
  {
    name: 'outages',
    program: VITEST,
    short: tests(OUTAGES, '-t', 'killed and started'),
    full: tests(OUTAGES),
  },
  { name: 'every kill point', program: VITEST, full: tests(KILL_POINTS) },
]

/** Test files that are proofs by themselves: `npm test` leaves them out, unless it is given one. */
export const heavyTests = OUTAGES
