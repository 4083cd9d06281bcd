import { createApi, dataOf } from '../api/client.tsx'
import { basePath } from '../settings/settings.tsx'
import type { Claims } from './session.ts'

/** Changes a token for a session: the server answers with a cookie, which the browser sends from now on. */
export async function openSession(token: string): Promise<Claims> {
  // A token that is refused ends no session that is there.
  const api = createApi({ baseUrl: basePath() || '/', onExpired: () => undefined })
  const { expiresAt, ...claims } = await dataOf(api.POST('/api/v1/session', { body: { token } }))
  return { ...claims, expiresAt: Date.parse(expiresAt) }
}
