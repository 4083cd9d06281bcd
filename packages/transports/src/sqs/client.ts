import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { retryLater, unreachable, type Outcome } from '@posthorn/engine'
import { TransportError, UnreachableError } from '../errors.ts'

export interface ClientOptions {
  readonly region: string
  /** Another address than the region's own. */
  readonly endpoint: string | undefined
  /** Default: as all programs of Amazon find them. */
  readonly credentials: SQSClientConfig['credentials'] | undefined
  readonly timeoutMs: number
}

/** One request, that ends in bounded time. */
export type Ask = <Answer>(
  request: (client: SQSClient, options: { abortSignal: AbortSignal }) => Promise<Answer>,
  /** On top of the time that an answer may take. */
  waitMs?: number,
) => Promise<Answer>

export interface Sqs {
  readonly ask: Ask
  close(): void
}

export function createSqs({ region, endpoint, credentials, timeoutMs }: ClientOptions): Sqs {
  const client = new SQSClient({
    region,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    // Addresses of queues name a host of the server's own choice, which may not be ours.
    useQueueUrlAsEndpoint: false,
    // Attempts are the relay's.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: timeoutMs },
  })
  const closed = new AbortController()
  return {
    async ask(request, waitMs = 0) {
      const late = AbortSignal.timeout(timeoutMs + waitMs)
      try {
        return await request(client, { abortSignal: AbortSignal.any([late, closed.signal]) })
      } catch (error) {
        if (late.aborted) throw new TransportError('DELIVERY_TIMEOUT', undefined, { cause: error })
        throw error
      }
    },
    close() {
      closed.abort()
      client.destroy()
    },
  }
}

/** Connections that were not made: the request has not left. */
const NOT_LEFT = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN/
/** We are not let in: that says nothing about a message. */
const NOT_LET_IN =
  /AccessDenied|InvalidClientTokenId|UnrecognizedClient|ExpiredToken|SignatureDoesNotMatch|CredentialsProviderError|InvalidSecurity/
/** Too much at once. */
const THROTTLED = /Throttl|OverLimit|ServiceUnavailable|InternalFailure|InternalError/

export function isQueueMissing(error: unknown): boolean {
  return /QueueDoesNotExist|NonExistentQueue/.test(namesOf(error))
}

/** What becomes of messages whose request failed as a whole. */
export function outcomeOf(error: unknown): Outcome {
  const names = namesOf(error)
  if (NOT_LEFT.test(names) || NOT_LET_IN.test(names)) {
    return unreachable(new UnreachableError((error as Error).message || names, { cause: error }))
  }
  if (THROTTLED.test(names)) {
    return retryLater(new TransportError('BROKER_BLOCKED', (error as Error).message), {
      unreachable: true,
    })
  }
  if (isQueueMissing(error)) return retryLater(new TransportError('TOPIC_MISSING'))
  if (error instanceof TransportError) return retryLater(error)
  // An answer that did not come: the server may have taken them, and knows them again by their ids.
  const isAnswer = Object(error).$metadata?.httpStatusCode !== undefined
  if (isAnswer) return retryLater(error)
  return retryLater(new TransportError('CONNECTION_LOST', undefined, { cause: error }))
}

function namesOf(error: unknown): string {
  const { name, code, errors } = Object(error) as {
    name?: unknown
    code?: unknown
    errors?: unknown
  }
  const inner = Array.isArray(errors) ? errors.map(namesOf) : []
  return [name, code, ...inner].map(String).join(' ')
}
