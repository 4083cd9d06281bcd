import { toMs, type Duration } from '@posthorn/engine'
import {
  SignJWT,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTPayload,
} from 'jose'
import type { Caller, Role } from './caller.ts'
import { ROLES } from './permissions.ts'
import { ProblemError, problem } from '../problem/problem.ts'

/** Long enough to spare nearly every signature check, short enough to notice a key that was withdrawn. */
const KEPT_MS = 60_000
const MOST_TOKENS = 5_000
/** Longer ones are checked every time, so that the cache stays below 10 MiB. */
const LONGEST_TOKEN = 2_048

interface TokenCache {
  get(token: string): Caller | undefined
  set(token: string, caller: Caller): void
}

/** Tells who a token belongs to; throws `UNAUTHENTICATED` or `TOKEN_EXPIRED`. */
export type TokenVerifier = (token: string) => Caller | Promise<Caller>

interface Expectations {
  /** If given, `iss` must be this. */
  readonly issuer?: string
  /** If given, `aud` must contain this. */
  readonly audience?: string
}

export type VerifierOptions =
  /** HS256, at least 32 bytes. */
  | (Expectations & { readonly secret: string })
  /** The public keys of the issuer; asymmetric algorithms only. */
  | (Expectations & { readonly jwksUrl: string; readonly claims?: ClaimNames })

const SECRET_BYTES = 32
const CLOCK_TOLERANCE_SECONDS = 5
/** The last moment that a Date can hold; a token may say a later one. */
const LAST_MS = 8.64e15
const SYMMETRIC = ['HS256']
const ASYMMETRIC = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** Makes a verifier. Tokens that were good are remembered for a minute, never past their `exp`. */
export function createVerifier(options: VerifierOptions): TokenVerifier {
  const { issuer, audience } = options
  const checks: JWTVerifyOptions = {
    // The kind of key decides: a public key must never be taken for an HMAC secret.
    algorithms: 'secret' in options ? SYMMETRIC : ASYMMETRIC,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
  }
  const key = keyOf(options)
  const names = 'jwksUrl' in options ? options.claims : undefined
  const cache = createTokenCache()
  const verify = async (token: string): Promise<Caller> => {
    try {
      const { payload } = await jwtVerify(token, key, checks)
      const caller = callerFrom(readClaims(payload, names))
      cache.set(token, caller)
      return caller
    } catch (error) {
      throw refusal(error)
    }
  }
  return (token) => cache.get(token) ?? verify(token)
}

/** Signs a token as `createVerifier({ secret })` takes it. Default: a member, for one hour. */
export async function signToken(token: {
  readonly secret: string
  readonly sub: string
  readonly org: string
  readonly role?: Role
  readonly expiresIn?: Duration
}): Promise<string> {
  const { secret, sub, org, role = 'member', expiresIn = '1h' } = token
  const expires = Math.floor((Date.now() + toMs(expiresIn)) / 1_000)
  return new SignJWT({ org, role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(secretBytes(secret))
}

function keyOf(options: VerifierOptions): JWTVerifyGetKey {
  if ('jwksUrl' in options) return publishedKeys(new URL(options.jwksUrl))
  const secret = secretBytes(options.secret)
  return async () => secret
}

/** The key server's trouble is not the caller's fault, and must not send him to log in again. */
function publishedKeys(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url)
  return async (...args) => {
    try {
      return await keys(...args)
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey) throw cause
      throw problem('KEYS_UNAVAILABLE', { retryAfterSeconds: 5, cause })
    }
  }
}

function secretBytes(secret: string): Uint8Array {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length < SECRET_BYTES) {
    throw new TypeError(`the token secret has ${bytes.length} bytes; it needs ${SECRET_BYTES}`)
  }
  return bytes
}

function callerFrom({ sub, org, role = 'member', exp }: Claimed): Caller {
  if (!isName(sub)) throw invalid('its sub is not a name of 1 to 255 characters')
  if (!isName(org)) throw invalid('its org is not a name of 1 to 255 characters')
  if (!isRole(role)) throw invalid('its role is neither known nor absent')
  return { sub, org, role, expiresAt: Math.min(exp * 1_000, LAST_MS) }
}

function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value)
}

/** What Postgres can store and a log line can show. */
function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= 255 &&
    value.isWellFormed() &&
    !/\p{Cc}/u.test(value)
  )
}

function refusal(error: unknown): unknown {
  if (error instanceof ProblemError) return error
  if (error instanceof errors.JWTExpired) {
    return challenge('TOKEN_EXPIRED', 'The token has expired.', error)
  }
  return error instanceof errors.JOSEError ? invalid('it does not hold', error) : error
}

function invalid(why: string, cause?: unknown): ProblemError {
  return challenge('UNAUTHENTICATED', `The token was refused: ${why}.`, cause)
}

/** The refusal of a token, with what RFC 6750 wants in its header. */
export function challenge(
  code: 'UNAUTHENTICATED' | 'TOKEN_EXPIRED',
  detail: string,
  cause?: unknown,
) {
  const authenticate = `Bearer realm="posthorn", error="invalid_token", error_description="${detail}"`
  return problem(code, { detail, headers: { 'www-authenticate': authenticate }, cause })
}

/** Remembers whom a verified token belongs to; the oldest is forgotten first. */
export function createTokenCache(now: () => number = Date.now): TokenCache {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>()
  return {
    get(token) {
      const entry = known.get(token)
      if (!entry) return undefined
      if (entry.until > now()) return entry.caller
      known.delete(token)
      return undefined
    },
    set(token, caller) {
      if (token.length > LONGEST_TOKEN) return
      known.delete(token)
      known.set(token, { caller, until: Math.min(now() + KEPT_MS, caller.expiresAt) })
      const oldest = known.size > MOST_TOKENS ? known.keys().next() : undefined
      if (oldest?.value !== undefined) known.delete(oldest.value)
    },
  }
}

/**
 * Where tokens say what a caller is, for providers with words of their own. A name is that of a
 * claim, or a path through claims with dots between, as in `realm_access.roles`.
 */
export interface ClaimNames {
  /** Default `org`. */
  readonly org?: string
  /** Default `role`. */
  readonly role?: string
  /**
   * What the role claim must be, or have among others, for each role; of several the one with the
   * most permissions counts, and every other user is a member. Without it the claim must be one of
   * the roles' own names, or absent.
   */
  readonly roles?: Partial<Readonly<Record<Role, string>>>
}

/** A caller as a token says it, unchecked. */
interface Claimed {
  readonly sub: unknown
  readonly org: unknown
  readonly role: unknown
  readonly exp: number
}

function readClaims(payload: JWTPayload, names: ClaimNames = {}): Claimed {
  const { org = 'org', role = 'role', roles } = names
  const said = claimAt(payload, role)
  return {
    sub: payload.sub,
    org: claimAt(payload, org),
    role: roles === undefined ? said : roleBy(said, roles),
    exp: payload.exp ?? 0,
  }
}

function roleBy(said: unknown, words: NonNullable<ClaimNames['roles']>): Role {
  // Some write roles as a list, some as one text with blanks between, as scopes are.
  const has: unknown = typeof said === 'string' ? [said, ...said.split(' ')] : said
  if (!Array.isArray(has)) return 'member'
  const isHeld = (role: Role) => words[role] !== undefined && has.includes(words[role])
  return ROLES.findLast(isHeld) ?? 'member'
}

/** The name as it stands comes first: some are addresses, with dots in them. */
function claimAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  let value: unknown = payload
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}
