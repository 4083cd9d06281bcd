import type { StoredResponse } from '@posthorn/engine/inbox'
import type { GatewayError } from '../../../gateway/index.ts'
import { problem } from '../../problems.ts'
import type { Work } from '../work.ts'

/** The answer to the client, as it is kept under its key. */
export function responseWith(status: 200 | 201, body: object): StoredResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: Buffer.from(JSON.stringify(body)) }
}

export type Refusal = 'PAYMENT_DECLINED' | 'GATEWAY_ERROR'

export function refused(code: Refusal, { paymentId }: Work, error: GatewayError): StoredResponse {
  const answer = problem(code, {
    detail: error.message,
    extensions: { retryable: false, paymentId, gatewayCode: error.code },
  })
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' }
  return { status: answer.status, headers, body: Buffer.from(JSON.stringify(answer)) }
}
