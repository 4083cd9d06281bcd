import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll } from 'vitest'

export interface LoginProvider {
  readonly issuer: string
  readonly jwksUrl: string
  /** How long access tokens hold that are given from now on, in seconds. */
  lifetime: number
  /** Lets people come back to this address; until then the provider knows no client. */
  admit(client: { id: string; url: string }): void
}

const RESOURCE = 'urn:posthorn:api'

/**
 * A real OpenID provider on a loopback port, with its own pages: any name and password will do. What
 * a token says beside who its holder is comes from `claims`. Ends with the test file.
 */
export async function startProvider({
  audience,
  claims,
}: {
  audience: string
  claims(account: string): Record<string, unknown>
}): Promise<LoginProvider> {
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => {
    // A browser asks for it whenever a page of the provider stands long enough.
    if (request.url === '/favicon.ico') response.writeHead(204).end()
    else answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }
  const started: LoginProvider = {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    lifetime: 600,
    admit({ id, url }) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: id,
            redirect_uris: [url],
            post_logout_redirect_uris: [url],
            token_endpoint_auth_method: 'none',
          },
        ],
        jwks: { keys: [key] },
        cookies: { keys: [randomBytes(16).toString('hex')] },
        pkce: { required: () => true },
        clientBasedCORS: () => true,
        findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
        extraTokenClaims: (_context, token) =>
          'accountId' in token ? claims(token.accountId) : undefined,
        features: {
          devInteractions: { enabled: true },
          rpInitiatedLogout: { enabled: true },
          resourceIndicators: {
            enabled: true,
            defaultResource: () => RESOURCE,
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({
              scope: '',
              audience,
              accessTokenFormat: 'jwt',
              accessTokenTTL: started.lifetime,
              jwt: { sign: { alg: 'RS256' } },
            }),
          },
        },
      })
      const callback = provider.callback()
      answer = (request, response) => void callback(request, response)
    },
  }
  return started
}
