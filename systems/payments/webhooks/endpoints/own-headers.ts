import { invalid, type FieldError } from '@posthorn/http'
import { Type } from 'typebox'
import type { Sealing } from '../../../sealing.ts'

/** Shown in place of a value; sent back for a name that is there already, it keeps what is stored. */
export const MASK = '••••••'

const MOST_BYTES = 4_096

/** Those that HTTP, the signatures and the event itself need for themselves. */
const FORBIDDEN = new Set([
  ...['accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type'],
  ...['date', 'expect', 'host', 'http2-settings', 'keep-alive', 'te', 'trailer'],
  ...['traceparent', 'tracestate', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
  ...['forwarded', 'x-real-ip', 'x-webhook-signature'],
])
const FORBIDDEN_PREFIXES = ['webhook-', 'ce-', 'proxy-', 'sec-', 'x-forwarded-']

export const OwnHeaders = Type.Record(
  Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" }),
  // What a header can hold without being read differently on the way.
  Type.String({ pattern: '^([\\x21-\\x7e]([\\x20-\\x7e]{0,1022}[\\x21-\\x7e])?|•{6})$' }),
  {
    maxProperties: 20,
    additionalProperties: false,
    description: `headers of your own for every request; values are stored sealed and shown as ${MASK}`,
  },
)

/** The values by which a relay sends them, sealed for their endpoint. */
export type SealedHeaders = Readonly<Record<string, string>>

interface SealOptions {
  readonly sealing: Sealing
  readonly endpointId: string
  /** What is stored now: a masked value keeps its own. */
  readonly before?: SealedHeaders
}

/** Throws a problem that names every header which may not be set. */
export function sealHeaders(
  given: Readonly<Record<string, string>>,
  { sealing, endpointId, before = {} }: SealOptions,
): SealedHeaders {
  const errors: FieldError[] = []
  const sealed: Record<string, string> = {}
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase()
    const refuse = (reason: string) => errors.push({ field: `headers.${written}`, reason })
    if (isForbidden(name)) refuse('is set by Posthorn or by HTTP itself')
    else if (sealed[name] !== undefined) refuse('is there twice')
    else if (value !== MASK) sealed[name] = sealing.seal(value, headerOwner(endpointId))
    else if (before[name] === undefined) refuse('has no value yet that could be kept')
    else sealed[name] = before[name]
  }
  const size = Object.entries(given).reduce((sum, pair) => sum + pair.join('').length, 0)
  if (size > MOST_BYTES) {
    errors.push({ field: 'headers', reason: `are longer than ${MOST_BYTES} characters together` })
  }
  if (errors.length > 0) throw invalid(errors)
  return sealed
}

/** The names, without what they hold. */
export function maskHeaders(headers: SealedHeaders): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))
}

export function headerOwner(endpointId: string): string {
  return `webhook headers ${endpointId}`
}

function isForbidden(name: string): boolean {
  return FORBIDDEN.has(name) || FORBIDDEN_PREFIXES.some((prefix) => name.startsWith(prefix))
}
