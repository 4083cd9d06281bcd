import type { IncomingHttpHeaders } from 'node:http'

const SECRET =
  /^(authorization|proxy-authorization|cookie|x-api-key|.*-(token|secret|password|api-key))$/

/** Headers as they are kept: of a secret only its scheme is shown. Signatures are no secrets. */
export function keptHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, SECRET.test(name) ? redact(String(value)) : value]],
  )
  return Object.fromEntries(kept) as Record<string, string | string[]>
}

function redact(value: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9-]{0,19}) \S/.exec(value)?.[1]
  return scheme === undefined ? '[redacted]' : `${scheme} [redacted]`
}
