import type { Caller, Role } from './caller.ts'
import { problem } from '../problem/problem.ts'

/** Every role that a token may have, the least first. */
export const ROLES = [
  'viewer',
  'clerk',
  'member',
  'approver',
  'admin',
  'operator',
  'platform',
] as const

interface PermissionDefinition {
  /** Behind "may": what it lets its holder do. */
  readonly about: string
  readonly roles: readonly Role[]
}

/**
 * Who may do what: the one table. A member may do what a clerk may, an operator of the organisation
 * what an admin may. A route names its permission by `config: { access }`; one that names none
 * needs `read` for GET and `write` for everything else.
 */
export const PERMISSIONS = {
  read: {
    about: "read the organisation's data",
    roles: ['viewer', 'clerk', 'member', 'approver', 'admin', 'operator', 'platform'],
  },
  write: {
    about: 'create payments, upload, match, send messages, and propose what needs an approval',
    roles: ['clerk', 'member', 'approver', 'admin', 'operator', 'platform'],
  },
  approve: {
    about: 'approve or reject what another user proposed',
    roles: ['approver', 'admin', 'operator', 'platform'],
  },
  administer: {
    about: 'manage webhook endpoints and their secrets, replay, and change settings',
    roles: ['admin', 'operator', 'platform'],
  },
  operate: {
    about: "see and replay the organisation's messages, its alerts, and act on its sagas",
    roles: ['operator', 'platform'],
  },
  'operate-all': {
    about: 'pause outboxes, see figures and messages of all organisations',
    roles: ['platform'],
  },
} as const satisfies Record<string, PermissionDefinition>

export type Permission = keyof typeof PERMISSIONS

/** Whether the caller's role has a permission. */
export function may({ role }: Pick<Caller, 'role'>, permission: Permission): boolean {
  const { roles }: PermissionDefinition = PERMISSIONS[permission]
  return roles.includes(role)
}

/** Throws `FORBIDDEN`, with the roles that have the permission, if the caller's has it not. */
export function requirePermission(caller: Pick<Caller, 'role'>, permission: Permission): void {
  if (may(caller, permission)) return
  const { about, roles } = PERMISSIONS[permission]
  throw problem('FORBIDDEN', {
    detail: `A ${caller.role} may not ${about}; it takes ${anyOf(roles)}.`,
    extensions: { permission, roles },
  })
}

/**
 * Whose data a caller sees among what belongs to all organisations: undefined for everything, as
 * the platform's operators do, else its own organisation.
 */
export function tenantOf(caller: Pick<Caller, 'role' | 'org'>): string | undefined {
  return may(caller, 'operate-all') ? undefined : caller.org
}

/** `clerk, member or admin`. */
function anyOf(roles: readonly Role[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(roles)
}
