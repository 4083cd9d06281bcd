/** As `ROLES` of the server; what each may do, `/api/v1/me` says. */
const ROLES = ['viewer', 'clerk', 'member', 'approver', 'admin', 'operator', 'platform'] as const
export type Role = (typeof ROLES)[number]

/** Whether the role sees outboxes and their messages. */
export function isOperator(role: Role): boolean {
  return role === 'operator' || role === 'platform'
}

/** Who a token says its holder is. The server checks it; the page only shows it. */
export interface Claims {
  readonly sub: string
  readonly org: string
  readonly role: Role
  /** In ms since 1970. */
  readonly expiresAt: number
}

/** Reads a token without checking it; undefined for what is none. */
export function claimsOf(token: string): Claims | undefined {
  const [, body, signature] = token.split('.')
  if (body === undefined || !signature) return undefined
  try {
    const { sub, org, role = 'member', exp } = JSON.parse(decode(body)) as Record<string, unknown>
    if (typeof sub !== 'string' || typeof org !== 'string' || typeof exp !== 'number') return
    const known = ROLES.find((each) => each === role)
    if (known === undefined) return
    return { sub, org, role: known, expiresAt: exp * 1_000 }
  } catch {
    return undefined
  }
}

function decode(part: string): string {
  const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
}
