import { DemoError, type DemoApi, type DemoRequest } from '@posthorn/system'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long something may take that takes a second on a quiet machine. */
const PATIENCE_MS = 90_000
const EVERY_MS = 400

export interface DemoApiOptions {
  readonly url: string
  /** The header of the user who started it: the story acts in no other name. */
  readonly authorization: string
  readonly signal: AbortSignal
}

export function createDemoApi({ url, authorization, signal }: DemoApiOptions): DemoApi {
  const call = async <Body>(
    method: string,
    path: string,
    sent: DemoRequest = {},
  ): Promise<Body> => {
    for (;;) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headersOf(sent), authorization },
        ...bodyOf(sent),
        signal,
      })
      const text = await response.text()
      const isTooSoon = response.status === 429 && response.headers.has('retry-after')
      if (!isTooSoon) return requireAnswer<Body>(`${method} ${path}`, { response, text, sent })
      await sleep(Number(response.headers.get('retry-after')) * 1_000, undefined, { signal })
    }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, sent) => call('POST', path, sent),
    async until<Body>(path: string, isDone: (body: Body) => boolean) {
      const end = performance.now() + PATIENCE_MS
      for (;;) {
        const body = await call<Body>('GET', path)
        if (isDone(body)) return body
        if (performance.now() > end) throw new DemoError(tooLong(path))
        await sleep(EVERY_MS, undefined, { signal })
      }
    },
  }
}

function tooLong(path: string): string {
  const seconds = PATIENCE_MS / 1_000
  return `${path} is not as awaited after ${seconds} s: is an outbox paused, or does no relay run?`
}

function headersOf({ json, content, headers }: DemoRequest): Record<string, string> {
  return {
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(content && { 'content-type': content.type }),
    ...headers,
  }
}

function bodyOf({ json, content }: DemoRequest): { body?: string | Uint8Array<ArrayBuffer> } {
  if (content) return { body: content.bytes }
  return json === undefined ? {} : { body: JSON.stringify(json) }
}

interface Answer {
  readonly response: Response
  readonly text: string
  readonly sent: DemoRequest
}

function requireAnswer<Body>(what: string, { response, text, sent }: Answer): Body {
  const { status, ok } = response
  const isExpected = sent.expect?.includes(status) ?? ok
  if (!isExpected) throw new DemoError(`${what} answered ${status}: ${text.slice(0, 300)}`)
  return (text === '' ? undefined : JSON.parse(text)) as Body
}
