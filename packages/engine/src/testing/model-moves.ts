import fc from 'fast-check'
import type { Outcome } from '../outbox/outcome.ts'
import type { ClaimKind } from '../relay/settle/claim.ts'

/** Shorter and longer than the clock's jumps. */
type Delay = '1s' | '10s' | undefined

/** What a relay, a writer or an operator does in the model. */
export type Move =
  | { kind: 'enqueue'; key: string; delay?: Delay }
  | { kind: 'write late' }
  | { kind: 'claim'; relay: number; of: ClaimKind; batch?: number }
  /** The bits of `slow` say which messages have not ended yet. */
  | { kind: 'attempt'; pick: number; failing: number; refusing: boolean; slow: number }
  | { kind: 'settle'; pick: number; answered: boolean }
  | { kind: 'give up'; pick: number }
  | { kind: 'crash'; relay: number }
  | { kind: 'restart'; relay: number }
  | { kind: 'expire' }
  | { kind: 'outlive'; relay: number; by: number }
  | { kind: 'sleep'; relay: number }
  | { kind: 'wait' }
  | { kind: 'replay' }
  | { kind: 'replay some'; pick: number; perSecond: number }
  | { kind: 'cancel'; pick: number }
  | { kind: 'confirm'; pick: number; as: Outcome['kind'] }

const relay = fc.nat(2)
export const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('enqueue'),
      key: fc.constantFrom('a', 'b', 'c'),
      delay: fc.constantFrom<Delay>(undefined, undefined, '1s', '10s'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('write late') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('claim'),
      relay,
      of: fc.constantFrom<ClaimKind>(
        'batch',
        'batch',
        'batch',
        'held',
        'suspect',
        'suspect',
        'expired',
      ),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('attempt'),
      pick: fc.nat(),
      failing: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
      refusing: fc.boolean(),
      slow: fc.constantFrom(0, 0, 0, 1, 2, 4, 9, 15),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('settle'), pick: fc.nat(), answered: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('give up'), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash'), relay }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart'), relay }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('outlive'), relay, by: relay }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sleep'), relay }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replay some'),
      pick: fc.nat(),
      perSecond: fc.constantFrom(1, 1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), pick: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('confirm'),
      pick: fc.nat(),
      as: fc.constantFrom<Outcome['kind']>('delivered', 'retryLater', 'refused'),
    }),
  },
)
