import { request } from 'node:http'
import { parentPort } from 'node:worker_threads'

/** A request to the measured server, from a thread of its own: the reader's time is not the server's. */
export interface Asked {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface Answered {
  /** 0 where no answer came. */
  readonly status: number
  readonly bytes: number
  readonly ms: number
  /** The start of the answer. */
  readonly start: string
}

const LONGEST_MS = 60_000
const START_BYTES = 2_000_000

parentPort?.on('message', ({ n, asked }: { n: number; asked: Asked }) => {
  void ask(asked).then((answered) => parentPort?.postMessage({ n, answered }))
})

function ask({ url, method, headers, body }: Asked): Promise<Answered> {
  const began = performance.now()
  const chunks: Buffer[] = []
  let bytes = 0
  let kept = 0
  let status = 0
  const { promise, resolve } = Promise.withResolvers<Answered>()
  const end = () => {
    const start = Buffer.concat(chunks).toString()
    resolve({ status, bytes, ms: performance.now() - began, start })
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const more = body === undefined ? {} : { 'content-length': String(length) }
  const sent = request(url, { method, headers: { ...headers, ...more }, timeout: LONGEST_MS })
  sent.on('response', (response) => {
    status = response.statusCode ?? 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (kept >= START_BYTES) return
      kept += chunk.length
      chunks.push(chunk)
    })
    response.on('end', end).on('error', end)
  })
  sent.on('timeout', () => sent.destroy())
  sent.on('error', end)
  sent.end(body)
  return promise
}
