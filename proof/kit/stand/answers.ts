import type { Line } from '../ledger.ts'

/** What a client was told for good. */
export interface KeptAnswer {
  readonly path: string
  readonly key: string | undefined
  /** 0 where no answer came. */
  readonly status: number
  /** Of the thing that was made, if the answer names one; a refusal may, too. */
  readonly id: string | undefined
  readonly code: string | undefined
}

export function keepAnswer(
  { path, key }: { readonly path: string; readonly key?: string },
  { status, body }: { readonly status: number; readonly body: Readonly<Record<string, unknown>> },
): KeptAnswer {
  const [id, code] = [body['id'] ?? body['fileJobId'] ?? body['paymentId'], body['code']]
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { path: path.replace(/\?.*$/, ''), key, status, id: textOf(id), code: textOf(code) }
}

/** What one route makes, as the database has it. */
export interface Made {
  /** Several of them. */
  readonly name: string
  readonly path: string
  /** The ids of all, each with its key if it is known there. */
  readonly things: readonly { readonly id: string; readonly key?: string }[]
  /** Codes of refusals that the load or a fault can cause, with the largest number of each. */
  readonly refusals?: Readonly<Record<string, number>>
}

/**
 * Everything that the API said is there, once for each key, and it refused nothing without a cause.
 * That each thing has come to its end is for the system's own lines.
 */
export function answerLines(
  answers: readonly KeptAnswer[],
  { name, path, things, refusals = {} }: Made,
): Line[] {
  const ours = answers.filter((answer) => answer.path === path)
  const made = ours.filter(({ status }) => status >= 200 && status < 300)
  const refused = ours.filter(({ status }) => status >= 300)
  const known = new Map(things.map(({ id, key }) => [id, key]))
  const isThere = ({ id, key }: KeptAnswer) =>
    id !== undefined && known.has(id) && (known.get(id) ?? key) === key
  const perKey = Map.groupBy(made, ({ key }) => key)
  const answered = new Set(ours.map(({ id }) => id))
  const unasked = things.filter(({ id }) => !answered.has(id)).length
  // What got no answer may have been done.
  const silent = new Set(ours.filter(({ status }) => status === 0).map(({ key }) => key)).size
  const counts = Map.groupBy(refused, ({ code, status }) => code ?? `HTTP ${status}`)
  const uncaused = [...counts]
    .map(([code, each]) => ({ code, count: each.length }))
    .filter(({ code, count }) => count > (refusals[code] ?? 0))
  return [
    { name: `answers about ${name}, compared`, value: ours.length, atLeast: 1 },
    { name: `${name} answered`, value: made.length, atLeast: 1 },
    {
      name: `${name} answered, and not there`,
      value: made.filter((each) => !isThere(each)).length,
      must: 0,
      notAfter: 'moment',
    },
    {
      name: `keys with two ${name}`,
      value: [...perKey.values()].filter((each) => new Set(each.map(({ id }) => id)).size > 1)
        .length,
      must: 0,
    },
    {
      name: `${name} that no answer names`,
      value: unasked,
      atMost: silent,
      notAfter: 'moment',
    },
    { name: `${name} refused`, value: refused.length },
    {
      name: `${name} refused without a cause`,
      value: uncaused.map(({ code, count }) => `${code} ${count}`).join(', ') || 'none',
      must: 'none',
    },
  ]
}
