import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isArriving } from '../limits/body-limits.ts'
import type { HttpProblemCode } from '../errors.ts'
import { problemOf } from '../problem/problem-of.ts'
import { PROBLEM_TYPE, problem, type ProblemError } from '../problem/problem.ts'
import { finished } from 'node:stream'
import { partyOf } from '../access/caller.ts'

/** Answers every thrown error with a problem; server errors are logged. */
export type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

export function createAnswerError(): AnswerError {
  const hold = createHeldRefusals()
  return (error, request, reply) => {
    const answer = problemOf(error)
    if (answer.status >= 500) request.log.error({ err: error, code: answer.code }, answer.message)
    clearTimeout(request.bodyTimer)
    if (answer.status === TOO_MANY) hold(request, () => sendProblem(reply, answer))
    else sendProblem(reply, answer)
  }
}

const TOO_MANY = 429

function sendProblem(reply: FastifyReply, answer: ProblemError): void {
  // The body will not be read: only a new connection gets the client and us in step again.
  if (isArriving(reply.request)) reply.header('connection', 'close')
  reply
    .code(answer.status)
    .headers(answer.headers)
    .header('content-type', PROBLEM_TYPE)
    .header('cache-control', 'no-store')
    .send(JSON.stringify(answer))
}

const SOCKET_PROBLEMS: Readonly<Record<string, HttpProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
}

/** Answers what is no HTTP request; there is no request object yet, only a socket. */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  response: ServerResponse | undefined,
): void {
  // In the middle of an answer there is no place for another.
  const isAnswering = response?.headersSent === true && !response.writableFinished
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    return void socket.destroy()
  }
  const answer = problem(SOCKET_PROBLEMS[error.code ?? ''] ?? 'BAD_REQUEST')
  const body = JSON.stringify(answer)
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

/** Refusals of one party that are answered at once, each second. */
const AT_ONCE = 20
/** How long the others wait, and how long a refused body may take to come. */
const HELD_MS = 1_000
/** The longest body that is read to its end for the sake of its connection. */
const DISCARDED_BYTES = 1_048_576

/** Refuses a request, at once or later. */
type HoldRefusal = (request: FastifyRequest, refuse: () => void) => void

/**
 * Answers those late who go on asking although they were refused: otherwise each refusal brings the
 * next request, and hundreds of connections keep the event loop busy with refusals alone. A body that
 * is refused is thrown away first, since a connection with an unread one has to be closed, and the
 * next attempt makes a new one: libuv accepts one in each turn of the event loop, so that sixty of
 * them, at turns of 10 ms, keep everybody's next connection waiting for 600 ms.
 */
function createHeldRefusals(now: () => number = Date.now): HoldRefusal {
  let counts = new Map<string, number>()
  let ends = 0
  const isFrequent = (party: string) => {
    if (now() >= ends) {
      counts = new Map()
      ends = now() + HELD_MS
    }
    const refused = (counts.get(party) ?? 0) + 1
    counts.set(party, refused)
    return refused > AT_ONCE
  }
  return (request, refuse) => {
    const isHeld = isFrequent(partyOf(request))
    const isDiscarded = isArriving(request) && isShort(request)
    if (!isHeld && !isDiscarded) return refuse()
    // Others may be worked on meanwhile.
    request.endTurn?.()
    const timer = setTimeout(refuse, HELD_MS)
    if (!isDiscarded) return
    request.raw.resume()
    if (isHeld) return
    finished(request.raw, () => {
      clearTimeout(timer)
      refuse()
    })
  }
}

/** Chunks are not: their length is not known. */
function isShort({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length']) <= DISCARDED_BYTES
}
