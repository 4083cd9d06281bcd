/** When a row with this id, a UUIDv7, was really written; otherwise as its column says. */
export function madeAt(id: string, fallback: Date): Date {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id)) return fallback
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/**
 * The real time of something that the business clock says: as long after the row was made as that
 * clock says, and never later than now. Right unless the clock was moved between the two.
 */
export function realTimeOf(at: Date, made: { readonly real: Date; readonly business: Date }): Date {
  const passed = Math.max(0, at.getTime() - made.business.getTime())
  return new Date(Math.min(Date.now(), made.real.getTime() + passed))
}
