import type { IncomingMessage } from 'node:http'
import type { Caller } from './caller.ts'

/** Whose session the secret of a cookie is; throws `TOKEN_EXPIRED` if it is nobody's any more. */
export type SessionReader = (secret: string) => Promise<Caller>

type Headed = Pick<IncomingMessage, 'headers'>

/** Browsers send a cookie to every port of a host: another server there has another name for its own. */
export function sessionCookie({ headers }: Headed): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1]
  return port === undefined ? 'posthorn_session' : `posthorn_session_${port}`
}

/** The secret that a browser has for its session; undefined without one. */
export function sessionSecret(request: Headed): string | undefined {
  const name = `${sessionCookie(request)}=`
  const pairs = request.headers.cookie?.split(';').map((pair) => pair.trim()) ?? []
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length)
}

/**
 * Whether another site may have made the browser send this request: cookies come along with it. Browsers say it
 * in `Sec-Fetch-Site`, older ones in `Origin`.
 */
export function isForeign({ headers }: Headed): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin'
  const { origin, host } = headers
  return origin !== undefined && URL.parse(origin)?.host !== host
}
