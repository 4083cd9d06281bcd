import type { UserManager } from 'oidc-client-ts'
import type { Settings } from '../settings/settings.tsx'

export type OidcSettings = NonNullable<Settings['oidc']>

/** By it the provider knows whose session is to end. */
const HINT = 'posthorn.id-token'

/** Leaves for the provider: authorization code with PKCE. The promise never ends well: the page does. */
export async function beginLogin(settings: OidcSettings): Promise<void> {
  const place = `${location.pathname}${location.search}${location.hash}`
  const client = await clientOf(settings)
  await client.signinRedirect({ state: place })
}

/** Whether this address is the one that a provider sends people back to. */
export function isReturn(search: string): boolean {
  const fields = new URLSearchParams(search)
  return fields.has('state') && (fields.has('code') || fields.has('error'))
}

/** Changes the code of the address for a token, and the address wanted before; a code works once. */
export async function finishLogin(settings: OidcSettings) {
  const client = await clientOf(settings)
  const user = await client.signinRedirectCallback()
  // The tab keeps the token in one place only, which is not here.
  await client.removeUser()
  if (user.id_token !== undefined) sessionStorage.setItem(HINT, user.id_token)
  return { token: user.access_token, place: placeIn(user.state) }
}

/**
 * Ends the session at the provider too, where it can be ended: else the next one at this machine
 * would be let in without being asked. The page goes there and comes back.
 */
export async function endLogin(settings: OidcSettings): Promise<void> {
  const hint = sessionStorage.getItem(HINT)
  sessionStorage.removeItem(HINT)
  const client = await clientOf(settings)
  const { end_session_endpoint: end } = await client.metadataService.getMetadata()
  if (end === undefined || hint === null) return
  await client.signoutRedirect({
    id_token_hint: hint,
    post_logout_redirect_uri: `${location.origin}/`,
  })
}

export function hostOf({ authority }: OidcSettings): string {
  return new URL(authority).host
}

/** An address of ours: what came back with the state must not lead to another site. */
export function placeIn(state: unknown): string {
  if (typeof state !== 'string' || !/^\/(?![/\\])/.test(state)) return '/'
  return isReturn(new URL(state, 'http://here').search) ? '/' : state
}

/** Loaded only where it is needed. */
async function clientOf({ authority, clientId, scope }: OidcSettings): Promise<UserManager> {
  const oidc = await import('oidc-client-ts')
  const store = new oidc.WebStorageStateStore({ store: sessionStorage })
  return new oidc.UserManager({
    authority,
    client_id: clientId,
    redirect_uri: `${location.origin}/`,
    response_type: 'code',
    scope,
    stateStore: store,
    userStore: store,
    automaticSilentRenew: false,
  })
}
