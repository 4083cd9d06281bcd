/** When a row with this id, a UUIDv7, was really written; otherwise as its column says. */
export function madeAt(id: string, fallback: Date): Date {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id)) return fallback
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** A move of the business clock: when it was made, by the real one, and how far it went. */
export interface ClockMove {
  readonly at: Date
  readonly ms: number
}

/** The real time of something that the business clock says, by its moves, the oldest first. */
export function realTimeOf(at: Date, moves: readonly ClockMove[]): Date {
  let real = at.getTime()
  for (const move of moves) {
    const moved = move.at.getTime()
    if (real < moved) break
    // What the clock passed over was never said by it, except by a transaction beside the move.
    real = Math.max(moved, real - move.ms)
  }
  return new Date(real)
}
