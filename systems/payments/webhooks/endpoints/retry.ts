import { Type } from 'typebox'

/** Waits between the attempts of a delivery, in seconds, by a word that people know. */
export const RETRY_PRESETS = {
  /** Attempts at 0, 2, 6, 14 and 30 s. */
  quick: [2, 4, 8, 16],
  /** For about four hours. */
  hours: [5, 30, 120, 600, 1_800, 3_600, 7_200],
  /** For about three days, as Standard Webhooks suggests. */
  days: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
} as const

type Preset = keyof typeof RETRY_PRESETS

const PRESETS = Object.keys(RETRY_PRESETS) as Preset[]

/** An endpoint's own policy as it stands in its table. */
export interface RetryPolicy {
  readonly waits: readonly number[]
  readonly attempts: number
}

const Waits = Type.Array(Type.Integer({ minimum: 1, maximum: 86_400 }), {
  minItems: 1,
  maxItems: 20,
  description: 'Seconds to wait after each failed attempt; the last value repeats',
})
const Attempts = Type.Integer({
  minimum: 1,
  maximum: 50,
  description: 'Number of attempts; default: one more than waits',
})
const Preset = Type.Union([Type.Literal('quick'), Type.Literal('hours'), Type.Literal('days')])

/** What a client sends; null for the default. */
export const RetryInput = Type.Union([
  Type.Object(
    { preset: Preset, attempts: Type.Optional(Attempts) },
    { additionalProperties: false },
  ),
  Type.Object({ waits: Waits, attempts: Type.Optional(Attempts) }, { additionalProperties: false }),
  Type.Null(),
])

export const RetryResource = Type.Object({
  preset: Type.Union([Preset, Type.Null()], {
    description: 'Named schedule; null for custom waits',
  }),
  waits: Type.Array(Type.Integer()),
  attempts: Type.Integer(),
})

/** Null: as the outbox says, which is `quick`. */
export function readRetry(
  input: { preset: Preset; attempts?: number } | { waits: number[]; attempts?: number } | null,
): RetryPolicy | null {
  if (input === null) return null
  const waits = 'preset' in input ? RETRY_PRESETS[input.preset] : input.waits
  return { waits, attempts: input.attempts ?? waits.length + 1 }
}

export function retryResource(policy: RetryPolicy | null) {
  const { waits, attempts } = policy ?? QUICK
  const isSame = (name: Preset) => String(RETRY_PRESETS[name]) === String(waits)
  return { preset: PRESETS.find(isSame) ?? null, waits: [...waits], attempts }
}

const QUICK: RetryPolicy = { waits: RETRY_PRESETS.quick, attempts: RETRY_PRESETS.quick.length + 1 }

/** How long to wait after so many failures and one more. */
export function retryInMs(waits: readonly number[], failures: number): number {
  return (waits[Math.min(failures, waits.length - 1)] ?? 0) * 1_000
}
