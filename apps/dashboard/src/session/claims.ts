export type Role = 'member' | 'operator'

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
    if (role !== 'member' && role !== 'operator') return
    return { sub, org, role, expiresAt: exp * 1_000 }
  } catch {
    return undefined
  }
}

function decode(part: string): string {
  const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
}
