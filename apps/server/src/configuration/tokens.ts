import {
  challenge,
  createVerifier,
  signToken,
  type Caller,
  type TokenVerifier,
} from '@posthorn/http'
import { isPortalToken, readPortalToken, type Sealing } from '@posthorn/system'
import type { Configuration } from './configuration.ts'
import { sealingOf } from '../systems/open-systems.ts'
import { developmentSecret } from './secret.ts'

type TokenConfiguration = Pick<Configuration, 'jwtSecret' | 'jwksUrl' | 'dataFolder' | 'production'>
type CheckConfiguration = TokenConfiguration & Pick<Configuration, 'published' | 'encryptionKeys'>

/**
 * Who checks tokens: by published keys, by the given secret, or by development's own; those of
 * portals, which this server makes itself, by what it seals with.
 */
export async function verifierOf(configuration: CheckConfiguration): Promise<TokenVerifier> {
  const verify = await userVerifierOf(configuration)
  const sealing = await sealingOf(configuration)
  return (token) => (isPortalToken(token) ? verifyPortal(sealing, token) : verify(token))
}

function verifyPortal(sealing: Sealing, token: string): Caller {
  const caller = readPortalToken(sealing, token)
  if (!caller) throw challenge('UNAUTHENTICATED', 'The token was refused: it does not hold.')
  if (caller.expiresAt > Date.now()) return caller
  throw challenge('TOKEN_EXPIRED', 'The token has expired.')
}

async function userVerifierOf(configuration: CheckConfiguration): Promise<TokenVerifier> {
  const { jwksUrl, published } = configuration
  if (jwksUrl !== undefined) return createVerifier({ jwksUrl, ...published })
  const secret = await secretOf(configuration)
  if (secret === undefined)
    throw new TypeError('the configuration lets no production start without')
  return createVerifier({ secret })
}

/** The secret this server signs and checks with; undefined where keys are published instead. */
export async function secretOf(configuration: TokenConfiguration): Promise<string | undefined> {
  const { jwtSecret, jwksUrl, dataFolder, production } = configuration
  if (jwksUrl !== undefined) return undefined
  if (jwtSecret !== undefined || production) return jwtSecret
  return developmentSecret(dataFolder, 'jwt-secret')
}

/** A token for the person in front of the terminal; none in production or with published keys. */
export async function developmentToken(
  configuration: TokenConfiguration,
): Promise<string | undefined> {
  const secret = configuration.production ? undefined : await secretOf(configuration)
  if (secret === undefined) return undefined
  return signToken({ secret, sub: 'dev', org: 'demo', role: 'platform', expiresIn: '12h' })
}
