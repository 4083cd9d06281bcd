/**
 * Why the business says no. Values, not exceptions: every mutation answers with them beside its
 * result. `docs/reference/errors.md` lists the same codes.
 */
export const FAMILY_CODES = {
  NOT_FOUND: 'There is no such family or usable invitation.',
  FORBIDDEN:
    'Only owners and admins of the family may do this, and an invitation cannot give the role OWNER.',
  ALREADY_INVITED: 'The address has an open invitation to this family.',
  ALREADY_MEMBER: 'The user, or the owner of the address, is already in the family.',
  INVALID_EMAIL: 'This is not a usable mail address.',
  INVALID_NAME: 'A name has 1 to 100 characters, and no line break or other control character.',
  EXPIRED: 'The invitation has expired: ask for a new one.',
  OWNER_REQUIRED: 'A family needs an owner: transfer ownership before leaving.',
  TOO_MANY_MAILS:
    'The family has sent too many invitation mails, in all or to this address: try again later.',
} as const

export type FamilyCode = keyof typeof FAMILY_CODES

/** A business refusal. */
export interface Refusal {
  readonly code: FamilyCode
  readonly message: string
}

/** What a command came to: what it did, or why it did nothing. */
export type Result<Value> =
  | { readonly value: Value; readonly refusal?: never }
  | { readonly value?: never; readonly refusal: Refusal }

export function accept<Value>(value: Value): Result<Value> {
  return { value }
}

/** Says no, by default with the code's own sentence. */
export function refuse(code: FamilyCode, message: string = FAMILY_CODES[code]) {
  return { refusal: { code, message } } as const
}
