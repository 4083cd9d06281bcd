import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { FaultOrder } from '@posthorn/simulators'

/** An error as Meta's Graph API writes it. */
export interface GraphError {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly details?: string
  readonly retryAfterSeconds?: number
}

/** What can be wrong with a request, by Meta's codes. */
export const GRAPH_ERRORS = {
  badToken: { status: 401, code: 190, message: 'Invalid OAuth access token.' },
  parameterInvalid: { status: 400, code: 100, message: 'Invalid parameter' },
  parameterMissing: { status: 400, code: 131008, message: 'Required parameter is missing' },
  valueInvalid: { status: 400, code: 131009, message: 'Parameter value is not valid' },
  typeUnsupported: { status: 400, code: 131051, message: 'Unsupported message type' },
  templateMissing: { status: 404, code: 132001, message: 'Template name does not exist' },
  templateParameters: { status: 400, code: 132000, message: 'Number of parameters does not match' },
  reEngagement: { status: 400, code: 131047, message: 'Re-engagement message' },
  accountLocked: { status: 403, code: 131031, message: 'Business Account has been locked' },
  throughput: { status: 400, code: 130429, message: 'Rate limit hit', retryAfterSeconds: 1 },
  pairLimit: {
    status: 400,
    code: 131056,
    message: '(Business Account, Consumer Account) pair rate limit hit',
  },
  undeliverable: { status: 400, code: 131026, message: 'Message undeliverable' },
  wentWrong: { status: 500, code: 131000, message: 'Something went wrong' },
} as const satisfies Record<string, GraphError>

/** The body of an error. */
export function graphErrorBody({ code, message, details }: GraphError): unknown {
  return {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: details ?? message },
      fbtrace_id: `A${randomBytes(12).toString('base64url')}`,
    },
  }
}

export function sendGraphError(reply: FastifyReply, error: GraphError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) {
    void reply.header('retry-after', String(error.retryAfterSeconds))
  }
  return reply.code(error.status).send(graphErrorBody(error))
}

/** What a recipient's last digits mean. */
type Magic =
  /** Refused at once, every time or only the first. */
  | { readonly kind: 'refused'; readonly error: GraphError; readonly once: boolean }
  /** Accepted; the webhook says that it failed. */
  | { readonly kind: 'undeliverable'; readonly error: GraphError }
  /** Accepted; then the answer goes wrong. */
  | { readonly kind: 'unanswered'; readonly fault: FaultOrder }

const MAGIC: Readonly<Record<string, Magic>> = {
  '0026': { kind: 'undeliverable', error: GRAPH_ERRORS.undeliverable },
  '0047': { kind: 'refused', error: GRAPH_ERRORS.reEngagement, once: false },
  '0031': { kind: 'refused', error: GRAPH_ERRORS.accountLocked, once: false },
  '0190': { kind: 'refused', error: GRAPH_ERRORS.badToken, once: false },
  // An unknown code: worth another try.
  '0999': {
    kind: 'refused',
    error: { status: 400, code: 139_999, message: 'Not today' },
    once: false,
  },
  '0429': { kind: 'refused', error: GRAPH_ERRORS.throughput, once: true },
  '0056': { kind: 'refused', error: GRAPH_ERRORS.pairLimit, once: true },
  '0500': { kind: 'unanswered', fault: { mode: 'error', status: 500, code: 131_000 } },
  '0408': { kind: 'unanswered', fault: { mode: 'timeout' } },
}

export function magicOf(recipient: string): Magic | undefined {
  return MAGIC[recipient.slice(-4)]
}
