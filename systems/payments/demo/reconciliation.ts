import type { DemoStep } from '@posthorn/system'
import type { Notes } from './index.ts'

interface Run {
  readonly matched: number
  readonly unmatched: number
  readonly total: number
  readonly matchRate: number
}

export const reconciliation: DemoStep<Notes> = {
  id: 'reconciliation',
  title: 'What the bank says',
  about:
    'The bank’s file is compared with the payments of this demo: two lines match, one stands there ' +
    'twice, one has another amount, one another currency, and one has no payment.',
  look: [{ label: 'Reconciliation', path: '/reconciliation' }],
  async play({ api, run, notes, tell }) {
    const { id } = await api.post<{ id: string }>(
      `/api/v1/reconciliations?filename=bank-${run}.csv`,
      { content: { type: 'text/csv', bytes: statementOf(run, notes) } },
    )
    const result = await api.post<Run>(`/api/v1/reconciliations/${id}/run`)
    tell(`${result.matched} of ${result.total} lines match, ${result.matchRate} %.`)
    const { reasons } = await api.get<{ reasons: Readonly<Record<string, number>> }>(
      `/api/v1/reconciliations/${id}`,
    )
    const why = Object.entries(reasons).filter(([, count]) => count > 0)
    tell(`Why: ${why.map(([reason, count]) => `${reason} ${count}`).join(', ')}.`)
  },
}

/** A file that holds one line of each kind. */
function statementOf(run: string, { payments }: Notes): string {
  const [first, second, third, fourth] = payments
  const line = (name: string | undefined, amount: number, currency = 'EUR') =>
    `${name ?? `demo-${run}-none`},${(amount / 100).toFixed(2)},${currency},2026-03-07`
  return [
    'external_transaction_id,amount,currency,date',
    line(first?.name, first?.amount ?? 0),
    line(first?.name, first?.amount ?? 0),
    line(second?.name, second?.amount ?? 0),
    line(third?.name, (third?.amount ?? 0) + 10),
    line(fourth?.name, fourth?.amount ?? 0, 'USD'),
    line(`demo-${run}-unknown`, 4_200),
    '',
  ].join('\n')
}
