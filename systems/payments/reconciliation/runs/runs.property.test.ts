import { transaction } from '@posthorn/engine'
import { ProblemError } from '@posthorn/http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PaymentStatus } from '../../charges/payment.ts'
import { paymentsDatabase } from '../../testing/running.ts'
import { decideIn } from '../decisions/answer.ts'
import { givePayments } from '../testing/reconciling.ts'
import type { Reason } from '../reason.ts'
import {
  giveFile,
  mistakesOf,
  outcomesOf,
  type Entry,
  type Outcome,
} from '../testing/small-world.ts'
import { reconcile, rehearse } from './reconcile.ts'

/** Few names, amounts and currencies, so that they meet often. */
const entry: fc.Arbitrary<Entry> = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  amount: fc.constantFrom(100, 200),
  currency: fc.constantFrom('EUR', 'USD'),
})

/** Payments of every status. */
const ofAnyStatus = fc.array(
  fc
    .record({
      entry,
      status: fc.constantFrom<PaymentStatus>('pending', 'succeeded', 'failed', 'refunded'),
    })
    .map((given) => ({ ...given.entry, status: given.status })),
  { minLength: 1, maxLength: 12 },
)

const entries = fc.array(entry, { minLength: 1, maxLength: 12 })

const db = await paymentsDatabase()
const { pool } = db
const options = { pool, memoryMb: 4 }
let owners = 0

/** An organisation of its own for each case: one database for all of them. */
function newOwner() {
  owners += 1
  return { org: `case-${owners}`, user: 'ada' }
}

const pay = (
  owner: { org: string; user: string },
  payments: readonly (Entry & { readonly status?: PaymentStatus })[],
) =>
  givePayments(
    pool,
    payments.map((payment) => ({ ...payment, ...owner })),
  )

const contentOf = (outcomes: readonly Outcome[]) =>
  outcomes
    .map(({ name, amount, currency, reason }) => `${name} ${amount} ${currency} ${reason}`)
    .toSorted()

const RANKS = { succeeded: 1, refunded: 1, pending: 2, failed: 3 }
const ranked = <T extends { readonly status: PaymentStatus }>(payment: T) => ({
  ...payment,
  rank: RANKS[payment.status],
})
const keyOf = ({ name, amount, currency }: Entry) => `${name} ${amount} ${currency}`

/** Few beside the other tests, many in the full proof. */
const runs = { numRuns: process.env['PROOF'] === 'full' ? 40 : 15 }

const shuffled = entries.chain((lines) =>
  fc.tuple(
    fc.constant(lines),
    fc.shuffledSubarray(lines, { minLength: lines.length, maxLength: lines.length }),
  ),
)

test('a run comes to what a person would: each line, each reason', { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(entries, ofAnyStatus, async (lines, payments) => {
      const owner = newOwner()
      const ids = await pay(owner, payments)
      const key = await giveFile(pool, owner, lines)
      const rehearsed = await rehearse(options, key)
      const result = await reconcile(options, key, 'ada')
      const outcomes = await outcomesOf(pool, key)
      expect(rehearsed).toEqual(result)
      expect(outcomes.map(({ reason }) => reason)).toEqual(expectedReasons(lines, payments))
      expect(result.matched + result.unmatched).toBe(lines.length)
      const used = new Set(outcomes.map(({ paymentId }) => paymentId))
      const paid = payments.map((payment, i) => ({ ...payment, used: used.has(ids[i] ?? '') }))
      for (const { rank, ...left } of paid.map(ranked).filter((each) => !each.used)) {
        const same = (each: Entry) => keyOf(each) === keyOf(left)
        expect(
          paid.map(ranked).filter((each) => each.used && same(each) && each.rank > rank),
        ).toEqual([])
      }
      expect(await mistakesOf(pool, owner)).toEqual([])
      // Again: nothing is different.
      expect(await reconcile(options, key, 'ada')).toEqual(result)
      expect(await outcomesOf(pool, key)).toEqual(outcomes)
    }),
    runs,
  ),
)

test('the order of the lines makes no difference', { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(shuffled, entries, async ([lines, others], payments) => {
      const [one, two] = [newOwner(), newOwner()]
      await pay(one, payments)
      await pay(two, payments.toReversed())
      const [first, second] = [await giveFile(pool, one, lines), await giveFile(pool, two, others)]
      expect(await reconcile(options, first, 'ada')).toEqual(
        await reconcile(options, second, 'ada'),
      )
      expect(contentOf(await outcomesOf(pool, first))).toEqual(
        contentOf(await outcomesOf(pool, second)),
      )
    }),
    runs,
  ),
)

test('runs at once use each payment once, and lose none', { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(entries, entries, entries, async (lines, others, payments) => {
      const owner = newOwner()
      await pay(owner, payments)
      const one = await giveFile(pool, owner, lines)
      const two = await giveFile(pool, owner, others)
      await Promise.all([one, two, one, two].map((key) => reconcile(options, key, 'ada')))
      const outcomes = [...(await outcomesOf(pool, one)), ...(await outcomesOf(pool, two))]
      const matched = expectedReasons([...lines, ...others], payments)
      expect(outcomes.filter(({ status }) => status === 'matched')).toHaveLength(
        matched.filter((reason) => reason === 'exact_match').length,
      )
      expect(await mistakesOf(pool, owner)).toEqual([])
    }),
    runs,
  ),
)

const step = fc.oneof(
  fc.record({ do: fc.constant('run' as const), file: fc.nat(1) }),
  fc.record({ do: fc.constant('pay' as const), payment: entry }),
  fc.record({ do: fc.constant('succeed' as const), payment: fc.nat(5) }),
  fc.record({
    do: fc.constant('decide' as const),
    file: fc.nat(1),
    line: fc.nat(5),
    kind: fc.constantFrom(
      'match' as const,
      'unmatch' as const,
      'ignore' as const,
      'reopen' as const,
    ),
    payments: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
    adjust: fc.boolean(),
    part: fc.boolean(),
  }),
)

test('the decision of a member survives every run', { timeout: 180_000 }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 2, maxLength: 6 }),
      fc.array(step, { minLength: 5, maxLength: 15 }),
      async (lines, steps) => {
        const owner = newOwner()
        const ids = await pay(owner, lines)
        const payments = [...lines]
        const files = [await giveFile(pool, owner, lines), await giveFile(pool, owner, lines)]
        for (const key of files) await reconcile(options, key, 'ada')
        for (const each of steps) {
          if (each.do === 'pay') {
            ids.push(...(await pay(owner, [{ ...each.payment, status: 'pending' }])))
            payments.push(each.payment)
          } else if (each.do === 'succeed') {
            await pool.query(
              `update payments.payments set status = 'succeeded'
                where id = $1 and status = 'pending'`,
              [ids[each.payment % ids.length]],
            )
          } else if (each.do === 'run') {
            const key = files[each.file] ?? files[0]!
            const before = await outcomesOf(pool, key)
            await reconcile(options, key, 'ada')
            const after = await outcomesOf(pool, key)
            const settled = before.filter(({ decidedBy }) => decidedBy !== null)
            expect(after.filter(({ line }) => settled.some((one) => one.line === line))).toEqual(
              settled,
            )
          } else {
            const key = files[each.file] ?? files[0]!
            const at = each.line % lines.length
            const chosen = [...new Set(each.payments.map((n) => n % ids.length))]
            const sum = chosen.reduce((all, n) => all + (payments[n]?.amount ?? 0), 0)
            const amount = (lines[at]?.amount ?? 0) - sum
            const decision = {
              kind: each.kind,
              note: 'a test',
              ...(each.kind === 'match' && {
                paymentIds: chosen.slice(0, each.part ? 1 : undefined).map((n) => String(ids[n])),
                isPart: each.part,
              }),
              ...(each.kind === 'match' &&
                each.adjust &&
                amount !== 0 && { adjustment: { amount, kind: 'other' as const } }),
            }
            const decided = {
              ...{ by: owner.user, approval: 'approved' as const },
              asked: { line: at + 2, decision },
            }
            await transaction(pool, (tx) => decideIn(tx, key, decided)).catch((error: unknown) => {
              if (!(error instanceof ProblemError)) throw error
            })
          }
          expect(await mistakesOf(pool, owner)).toEqual([])
        }
      },
    ),
    runs,
  ),
)

/** What a run of one file comes to, thought out line by line. */
function expectedReasons(
  lines: readonly Entry[],
  payments: readonly (Entry & { readonly status?: PaymentStatus })[],
): Reason[] {
  const rankOf = ({ status = 'succeeded' }: (typeof payments)[number]) => RANKS[status]
  const free = payments.toSorted((a, b) => rankOf(a) - rankOf(b))
  const same = (a: Entry) => (b: Entry) =>
    a.name === b.name && a.amount === b.amount && a.currency === b.currency
  return lines.map((line) => {
    const at = free.findIndex(same(line))
    if (at >= 0) {
      const [found] = free.splice(at, 1)
      return found && rankOf(found) > 1 ? 'payment_not_succeeded' : 'exact_match'
    }
    if (payments.some(same(line))) return 'duplicate'
    const named = payments.filter(({ name }) => name === line.name)
    if (named.some(({ currency }) => currency === line.currency)) return 'amount_mismatch'
    return named.length > 0 ? 'currency_mismatch' : 'no_match'
  })
}
