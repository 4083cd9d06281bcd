import { PERMISSIONS, ROLES, callerOf, may, type App, type Permission } from '@posthorn/http'
import { nullable } from '@posthorn/system'
import { Type } from 'typebox'

const Role = Type.Enum(ROLES)

const schema = {
  summary: 'The caller of the token, with its permissions',
  tags: ['session'],
  response: {
    200: Type.Object({
      sub: Type.String(),
      org: Type.String(),
      role: Role,
      expiresAt: Type.String({ format: 'date-time' }),
      portal: nullable(Type.Enum(['read', 'write']), {
        description: 'Permissions of a portal token; null for users',
      }),
      permissions: Type.Array(
        Type.Object({
          name: Type.String(),
          about: Type.String({ description: 'What the permission allows' }),
          allowed: Type.Boolean({ description: 'Whether the caller has this permission' }),
          roles: Type.Array(Role, { description: 'Roles with this permission' }),
        }),
      ),
    }),
  },
}

const NAMES = Object.keys(PERMISSIONS) as Permission[]

export function meRoutes(app: App): void {
  app.get('/api/v1/me', { schema, config: { portal: 'read' } }, async (request) => {
    const { sub, org, role, expiresAt, portal = null } = callerOf(request)
    const permissions = NAMES.map((name) => ({
      name,
      about: PERMISSIONS[name].about,
      allowed: may({ role }, name),
      roles: [...PERMISSIONS[name].roles],
    }))
    return { sub, org, role, expiresAt: new Date(expiresAt).toISOString(), portal, permissions }
  })
}
