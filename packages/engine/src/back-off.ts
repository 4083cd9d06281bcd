/** Waits that double, in milliseconds: 1, 2, 4 … times `firstMs`, up to `mostMs`. */
export interface BackOff {
  readonly firstMs: number
  readonly mostMs: number
}

/** How long to wait after so many failures in a row, this one not counted: `firstMs` after the first. */
export function backOff(earlierFailures: number, { firstMs, mostMs }: BackOff): number {
  return Math.min(firstMs * 2 ** Math.min(Math.max(earlierFailures, 0), 30), mostMs)
}
