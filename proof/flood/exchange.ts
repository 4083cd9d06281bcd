import { request, type Agent } from 'node:http'

export interface Asked {
  readonly agent: Agent
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A status and the code of its problem, as `200` or `429 RATE_LIMITED`; or why there was no answer. */
export type Outcome = string

export interface Answered {
  readonly outcome: Outcome
  readonly body: string
}

const PATIENCE_MS = 30_000

/** One attempt; what goes wrong is an outcome. */
export function exchange({ agent, method, url, token, headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({ outcome: `none: ${error.code ?? error.message}`, body: '' })
    const asking = request(
      url,
      {
        agent,
        method,
        timeout: PATIENCE_MS,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => void chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const code = /"code":"(\w+)"/.exec(text)?.[1]
          const status = response.statusCode ?? 0
          const outcome = status < 400 ? String(status) : `${status} ${code ?? ''}`.trim()
          resolve({ outcome, body: text })
        })
      },
    )
    asking.on('timeout', () => asking.destroy(new Error('too late')))
    asking.on('error', fail)
    asking.end(body)
  })
}

export const JSON_TYPE = { 'content-type': 'application/json' }
export const STATEMENT_TYPE = { 'content-type': 'multipart/form-data; boundary=statement' }

/** The body of an upload of a bank's statement with so many lines, of the type above. */
export function statement(name: string, lines: number): string {
  const bookings = Array.from({ length: lines }, (_, n) => `${name}-${n},10.00,EUR,2026-01-02\n`)
  return [
    '--statement',
    `content-disposition: form-data; name="file"; filename="${name}.csv"`,
    'content-type: text/csv',
    '',
    `external_transaction_id,amount,currency,date\n${bookings.join('')}`,
    '--statement--',
    '',
  ].join('\r\n')
}
