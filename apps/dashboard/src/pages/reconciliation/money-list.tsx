import { formatMoney } from '../../format/money.ts'

/** Sums of several currencies, each on a line of its own; those that are nothing are left out. */
export function MoneyList({ sums }: { sums: Readonly<Record<string, string>> }) {
  const entries = Object.entries(sums).filter(([, sum]) => sum !== '0')
  if (entries.length === 0) return '–'
  return entries.map(([currency, sum]) => (
    <span key={currency} style={{ display: 'block' }}>
      {formatMoney(sum, currency)}
    </span>
  ))
}
