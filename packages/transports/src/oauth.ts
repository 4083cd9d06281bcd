import { toMs, type Duration } from '@posthorn/engine'
import { UnreachableError } from './errors.ts'

export interface ClientCredentials {
  /** The token endpoint of the identity provider. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
  /** How long to wait for an answer. Default 5 s. */
  readonly timeout?: Duration
}

/** A token is used until this share of its life is over: the rest is for clocks that differ. */
const USED_SHARE = 0.8
/** Of a token that does not say how long it lives. */
const DEFAULT_LIFE_S = 60

/**
 * Gets tokens by client credentials (RFC 6749, 4.4), and each again only when it is about to end: for
 * `sasl: { mechanism: 'OAUTHBEARER', token: clientCredentials({ … }) }` of Kafka.
 */
export function clientCredentials(client: ClientCredentials): () => Promise<string> {
  const { url, clientId, clientSecret, scope } = client
  const timeoutMs = toMs(client.timeout ?? '5s')
  let current: { readonly token: string; readonly until: number } | undefined
  let asking: Promise<string> | undefined

  async function ask(): Promise<string> {
    const login = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    const began = performance.now()
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw new UnreachableError(`no token from ${hostOf(url)}`, { cause })
    })
    const { access_token: token, expires_in: lifeS = DEFAULT_LIFE_S } = (await answer
      .json()
      .catch(() => ({}))) as { access_token?: unknown; expires_in?: number }
    if (!answer.ok || typeof token !== 'string') {
      throw new UnreachableError(`no token from ${hostOf(url)}: it answered ${answer.status}`)
    }
    current = { token, until: began + lifeS * 1_000 * USED_SHARE }
    return token
  }

  return async () => {
    if (current && performance.now() < current.until) return current.token
    asking ??= ask().finally(() => (asking = undefined))
    return asking
  }
}

/** The path and query of such an address may hold secrets. */
function hostOf(url: string): string {
  return new URL(url).host
}
