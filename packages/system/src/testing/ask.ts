export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of all shapes
  readonly body: any
}

export async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const { status, headers } = response
  const text = await response.text()
  const isJson = headers.get('content-type')?.includes('json') === true
  return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : {} }
}

/** A request with JSON, or without a body. */
export function json(
  method: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): RequestInit {
  if (body === undefined) return { method, headers }
  const typed = { 'content-type': 'application/json', ...headers }
  return { method, headers: typed, body: JSON.stringify(body) }
}

/** Asks a server with a token. */
export const askWith =
  (url: string, token: string) =>
  (path: string, init: RequestInit = {}): Promise<Answer> =>
    ask(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as object) },
    })
