/*
 * Meta's error codes and what each means for a message. A code that is not listed is tried again.
 */

/**
 * How a code is met. `limit` waits without counting; `account` and `number` stop what sends, with an
 * alert, until it is mended.
 */
export type ErrorClass = 'refused' | 'limit' | 'pair-limit' | 'account' | 'number' | 'retry'

/** The same request can never succeed, or not within the hours that we try. */
const REFUSED = [
  // The seed's own list.
  131047, 133000, 133004, 133006, 131031,
  // Parameters and types.
  100, 131008, 131009, 131051, 131052, 131053, 131055, 135000,
  // The recipient: ourselves, not on WhatsApp, not allowed, in an experiment, opted out, had enough.
  131021,
  131026, 131030, 130472, 130497, 131050, 131049,
  // The template: parameters, missing, too long, against policy, of another form, paused, disabled.
  132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068, 134101,
]

/** The number, the app or the account has sent too much for the moment. */
const LIMITS = [4, 613, 80007, 130429]

const PAIR_LIMIT = 131056

/** Ours to mend, of the account: tokens, permissions, blocked for policy, payment, terms. */
const ACCOUNT = [0, 3, 10, 104, 190, 368, 131005, 131042, 134011, 134100]

/** Ours to mend, of one number: deleted, its name, its registration, taken for a sender of spam. */
const NUMBER = [33, 131037, 131045, 131048, 133005, 133008, 133009, 133010, 133015, 133016]

const CLASSES: ReadonlyMap<number, ErrorClass> = new Map([
  ...REFUSED.map((code) => [code, 'refused'] as const),
  ...LIMITS.map((code) => [code, 'limit'] as const),
  ...ACCOUNT.map((code) => [code, 'account'] as const),
  ...NUMBER.map((code) => [code, 'number'] as const),
  [PAIR_LIMIT, 'pair-limit'] as const,
])

export function classOf(code: number): ErrorClass {
  // Every permission has a code of its own in this range.
  if (code >= 200 && code <= 299) return 'account'
  return CLASSES.get(code) ?? 'retry'
}
