export const FAMILY_ROLES = ['OWNER', 'ADMIN', 'MEMBER'] as const

export type FamilyRole = (typeof FAMILY_ROLES)[number]

/** As events say it: `Member`. */
export function wordOf(role: FamilyRole): string {
  return role.slice(0, 1) + role.slice(1).toLowerCase()
}
