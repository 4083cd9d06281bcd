/** RFC 5321's limits. */
const MOST_CHARACTERS = 254
const MOST_LOCAL = 64

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * The address as typed, undefined if no mail could be sent to it. Narrower than the RFC:
 * no quotes, no comments, no bare host, ASCII only, so that it can never be more than one recipient.
 */
export function toEmailAddress(typed: string): string | undefined {
  const address = typed.trim()
  const at = address.lastIndexOf('@')
  const isShort = address.length <= MOST_CHARACTERS && at <= MOST_LOCAL
  const isAddress =
    LOCAL.test(address.slice(0, Math.max(at, 0))) && DOMAIN.test(address.slice(at + 1))
  return isShort && isAddress ? address : undefined
}

/** Whether two addresses are one mailbox's, as the index on `lower(email)` sees it. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
