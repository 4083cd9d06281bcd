import fc from 'fast-check'

/* Text and JSON that a careful program never sends, from nothing to 100 kB. */

const SNIPPETS = [
  '\0',
  '\ud83d',
  '\ude00',
  '\u202eנגמר',
  'مرحبا',
  '😀',
  'e\u0301\u0301\u0301',
  '\ufeff',
  '\uffff',
  '\u2028',
  '\x1b[2J',
  '\r\n',
  '\\u0000',
  '\\',
  `'; drop table x; --`,
  '"}{',
  '$1',
  '%s_%',
  '<script>',
  '__proto__',
  'null',
]

const LENGTHS = [0, 1, 100, 1_000, 1_024, 1_025, 5_000, 100_000]

/** Random letters: no index makes them smaller. */
function incompressible(length: number, seed: number): string {
  let state = seed >>> 0 || 1
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += state.toString(36)
  }
  return text.slice(0, length)
}

const long = fc
  .record({ length: fc.constantFrom(...LENGTHS), seed: fc.nat() })
  .map(({ length, seed }) => incompressible(length, seed))

const strange = fc
  .array(fc.oneof(fc.constantFrom(...SNIPPETS), fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))

/** A word that hardly anything refuses, a strange one, a long one, or a long one with something strange in it. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  { weight: 3, arbitrary: strange },
  { weight: 1, arbitrary: long },
  {
    weight: 1,
    arbitrary: fc.tuple(long, strange).map(([start, end]) => `${start}${end}${start}`),
  },
)

function nested(levels: number, inList: boolean): unknown {
  let value: unknown = 'the innermost'
  for (let level = 0; level < levels; level += 1) value = inList ? [value] : { a: value }
  return value
}

/** A value that is made when it is asked for: some of them cannot be printed. */
export class HostileValue {
  readonly name: string
  readonly #make: () => unknown

  constructor(name: string, make: () => unknown) {
    this.name = name
    this.#make = make
  }

  make(): unknown {
    return this.#make()
  }
}

const deep = fc
  .tuple(fc.constantFrom(10, 400, 600, 3_000, 20_000), fc.boolean())
  .map(
    ([levels, inList]) =>
      new HostileValue(`${levels} ${inList ? 'lists' : 'objects'}`, () => nested(levels, inList)),
  )

const NUMBERS = [0, -0, 2 ** 53 + 2, 1e308, 5e-324, -1e-320, Number.NaN, Number.POSITIVE_INFINITY]

/** No JSON: without a value, too large for a number, in a circle. */
const OUTLANDISH = [
  new HostileValue('null', () => null),
  new HostileValue('undefined', () => undefined),
  new HostileValue('a large integer', () => 2n ** 70n),
  new HostileValue('no date', () => new Date(Number.NaN)),
  new HostileValue('a circle', () => {
    const circle: unknown[] = []
    circle.push(circle)
    return circle
  }),
]

const asValue = (value: unknown) => new HostileValue(JSON.stringify(value), () => value)

export const hostileJson: fc.Arbitrary<HostileValue> = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(asValue) },
  { weight: 2, arbitrary: hostileText.map(asValue) },
  { weight: 2, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }).map(asValue) },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.constantFrom(...NUMBERS).map(asValue) },
  { weight: 1, arbitrary: fc.constantFrom(...OUTLANDISH) },
)

/** Something thrown or returned as an error. */
export const hostileError: fc.Arbitrary<unknown> = fc.oneof(
  fc
    .record({ message: hostileText, code: fc.option(hostileText, { nil: undefined }) })
    .map(({ message, code }) =>
      Object.assign(new Error(message), code === undefined ? {} : { code }),
    ),
  hostileText,
  fc.constantFrom(undefined, null, 7, {}),
)

/** Counts by name, so that what is said at the end shows that neither side was empty. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  text(): string {
    const sorted = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([name, count]) => `${name} ${count}`).join(', ')
  }
}

/** A failure in few words: the whole message has a megabyte. */
export async function asyncReporter<Drawn>(run: fc.RunDetails<Drawn>): Promise<void> {
  const { failed, seed, counterexamplePath: path, errorInstance: cause } = run
  if (failed) throw new Error(`seed ${seed}, path ${path}`, { cause })
}
