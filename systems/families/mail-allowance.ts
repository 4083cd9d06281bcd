/**
 * How many invitation mails may be sent: `atOnce` of them, and another one each `everyMs`. One moment
 * is all that has to be stored: each mail moves it on by `everyMs`, from now or from where it is.
 */
export interface Allowance {
  readonly atOnce: number
  readonly everyMs: number
}

/** To one address, by one family, whichever invitation they are about. */
export const TO_ADDRESS: Allowance = { atOnce: 5, everyMs: 4 * 3_600_000 }

/** By one family, to all addresses. */
export const BY_FAMILY: Allowance = { atOnce: 100, everyMs: 10 * 60_000 }

/** When the next mail may be sent; undefined if that is now. */
export function nextMailAt(
  { atOnce, everyMs }: Allowance,
  { mailedUntil, now }: { readonly mailedUntil: Date | null; readonly now: Date },
): Date | undefined {
  if (mailedUntil === null) return undefined
  const at = mailedUntil.getTime() - (atOnce - 1) * everyMs
  return at > now.getTime() ? new Date(at) : undefined
}

/** What is stored once one more mail is sent. */
export function afterMail(
  { everyMs }: Allowance,
  { mailedUntil, now }: { readonly mailedUntil: Date | null; readonly now: Date },
): Date {
  return new Date(Math.max(mailedUntil?.getTime() ?? 0, now.getTime()) + everyMs)
}
