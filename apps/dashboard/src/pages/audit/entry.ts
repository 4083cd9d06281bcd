import type { paths } from '../../api/schema.d.ts'

export type Entry =
  paths['/api/v1/audit']['get']['responses']['200']['content']['application/json']['items'][number]

/** What happened, as a sentence. */
export function whatOf(entry: Entry): string {
  if (entry.kind === 'operation') return `${entry.operation} ${entry.subject}`
  return `${entry.from ?? 'new'} → ${entry.to}`
}

/** Why, as far as it was recorded. */
export function whyOf(entry: Entry): string {
  if (entry.kind === 'operation') return entry.reason ?? ''
  return [entry.code, entry.error ?? entry.reason].filter((part) => part !== null).join(': ')
}

/** The entries as CSV. A cell that a spreadsheet would take for a formula is made text. */
export function entriesAsCsv(entries: readonly Entry[]): Blob {
  return new Blob([csvOf(entries)], { type: 'text/csv;charset=utf-8' })
}

export function csvOf(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => [
    entry.at,
    entry.kind,
    entry.outbox ?? '',
    entry.kind === 'transition' ? entry.messageId : entry.subject,
    whatOf(entry),
    whyOf(entry),
    entry.actor,
    entry.tenant ?? '',
  ])
  const heads = ['at', 'kind', 'outbox', 'subject', 'what', 'why', 'by', 'organisation']
  return [heads, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n')
}

function cellOf(value: string): string {
  const safe = /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value
  return `"${safe.replaceAll('"', '""')}"`
}
