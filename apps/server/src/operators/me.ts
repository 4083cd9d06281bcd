import { callerOf, type App } from '@posthorn/http'
import { Type } from 'typebox'

const schema = {
  summary: 'The caller, by its token',
  tags: ['session'],
  response: {
    200: Type.Object({
      sub: Type.String(),
      org: Type.String(),
      role: Type.Union([Type.Literal('member'), Type.Literal('operator')]),
      expiresAt: Type.String({ format: 'date-time' }),
    }),
  },
}

export function meRoutes(app: App): void {
  app.get('/api/v1/me', { schema }, async (request) => {
    const { sub, org, role, expiresAt } = callerOf(request)
    return { sub, org, role, expiresAt: new Date(expiresAt).toISOString() }
  })
}
