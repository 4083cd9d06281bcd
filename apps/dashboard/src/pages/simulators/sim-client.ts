import { ApiProblem } from '../../api/problem.ts'

/** One request that a simulator received. */
export interface Arrival {
  readonly id: number
  readonly at: string
  readonly method?: string
  readonly path?: string
  readonly outcome?: string
  /** Of a mail. */
  readonly to?: string | readonly string[]
  readonly subject?: string
}

export const FAULT_MODES = ['ok', 'error', 'timeout', 'drop', 'slow'] as const

export interface Fault {
  readonly mode: (typeof FAULT_MODES)[number]
  readonly status?: number
  readonly after?: number
  readonly times?: number | null
  readonly effect?: boolean
}

/** The same small control API for every simulator; it needs no token and is not there in production. */
export const sim = {
  requests: (name: string, signal: AbortSignal) =>
    callSimulator<{ items: Arrival[] }>(`/sim/${encodeURIComponent(name)}/requests?limit=100`, {
      signal,
    }),
  fault: (name: string, signal: AbortSignal) =>
    callSimulator<Fault>(`/sim/${encodeURIComponent(name)}/faults`, { signal }),
  fail: (name: string, fault: Fault) =>
    callSimulator<Fault>(`/sim/${encodeURIComponent(name)}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    }),
  forget: (name: string) =>
    callSimulator<undefined>(`/sim/${encodeURIComponent(name)}`, { method: 'DELETE' }),
}

/** A route of a simulator; `init` as for `fetch`. */
export async function callSimulator<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(path, { ...init, cache: 'no-store' })
  const text = await response.text()
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new ApiProblem(response, body)
  return body as Answer
}
