import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isArriving } from './body-timeout.ts'
import type { HttpProblemCode } from './errors.ts'
import { createHeldRefusals } from './held-refusals.ts'
import { problemOf } from './problem-of.ts'
import { PROBLEM_TYPE, problem, type ProblemError } from './problem.ts'

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
