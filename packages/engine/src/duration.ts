import { PosthornError } from './errors.ts'

/** A length of time as people write it: `'250ms'`, `'30s'`, `'2m'`, `'6h'`, `'7d'`. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of a duration; throws `DURATION_INVALID` for anything else. */
export function toMs(duration: Duration): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration)
  if (!match)
    throw new PosthornError(
      'DURATION_INVALID',
      `"${duration}" is not a duration: write a number and its unit, like "250ms", "30s", "2m", "6h", "7d"`,
    )
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
}
