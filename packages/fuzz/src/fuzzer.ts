import fc from 'fast-check'

/** What takes bytes or JSON of strangers, and how it may refuse them. */
export interface Parser {
  readonly name: string
  /** Good or nearly good input, to be damaged. */
  readonly samples: readonly string[]
  /** Resolves, or throws an error that `isRefusal` knows. */
  read(bytes: Buffer): Promise<unknown>
  readonly isRefusal?: (error: unknown) => boolean
}

/** An input that took longer than this hangs; the longest has 40 kB. */
const LONGEST_MS = 10_000

/** In pieces, as a socket gives them. */
export async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const size = Math.max(1, Math.ceil(bytes.length / 3))
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size))
}

/** Reads to the end. */
export const readAll = async (batches: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of batches);
}

/** JSON that is damaged as text; what is no JSON any more is no input of these. */
export const json = (name: string, sample: unknown, read: (value: unknown) => unknown): Parser => ({
  name,
  samples: [JSON.stringify(sample)],
  read: async (bytes) => {
    let value: unknown
    try {
      value = JSON.parse(bytes.toString())
    } catch {
      return undefined
    }
    return read(value)
  },
})

/** A sample with bytes changed, lost, doubled or put in; or bytes of no kind at all. */
function damaged({ samples: texts }: Parser): fc.Arbitrary<Buffer> {
  const cut = fc.tuple(
    fc.nat(),
    fc.nat({ max: 80 }),
    fc.nat({ max: 3 }),
    fc.uint8Array({ maxLength: 12 }),
  )
  const changed = fc
    .tuple(fc.constantFrom(...texts), fc.array(cut, { minLength: 1, maxLength: 6 }))
    .map(([text, cuts]) => {
      let bytes = Buffer.from(text, 'latin1')
      for (const [place, length, kind, put] of cuts) {
        const at = bytes.length === 0 ? 0 : place % bytes.length
        const rest = bytes.subarray(at + (kind === 0 ? length : 0))
        const piece = kind === 1 ? bytes.subarray(at, at + length) : Buffer.from(put)
        const copies = kind === 2 ? Array<Buffer>(1 + (place % 200)).fill(piece) : [piece]
        bytes = Buffer.concat([bytes.subarray(0, at), ...copies, rest]).subarray(0, 40_000)
      }
      return bytes
    })
  const any = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes))
  return fc.oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: any })
}

export interface Bounds {
  readonly seed: number
  readonly runs: number
  /** Ends earlier, after so long. */
  readonly withinMs?: number
}

/** Reads made-up inputs with one parser; throws at the first that breaks it. Returns how many. */
export async function fuzzParser(parser: Parser, bounds: Bounds): Promise<number> {
  const { isRefusal = () => false } = parser
  let read = 0
  const property = fc.asyncProperty(damaged(parser), async (bytes) => {
    read += 1
    const began = performance.now()
    try {
      await parser.read(bytes)
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    const took = performance.now() - began
    if (took > LONGEST_MS) throw new Error(`${bytes.length} bytes took ${Math.round(took)} ms`)
  })
  const { seed, runs: numRuns, withinMs } = bounds
  const result = await fc.check(property, {
    ...{ seed, numRuns },
    ...(withinMs !== undefined && { interruptAfterTimeLimit: withinMs }),
  })
  // Out of time before the first of them is no failure of the parser.
  if (result.counterexample !== null) throw new Error(await fc.asyncDefaultReportMessage(result))
  return read
}
