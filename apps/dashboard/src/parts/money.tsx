import { formatMoney } from '../format/money.ts'

/** An amount in minor units. */
export function Money({ minor, currency }: { minor: number; currency: string }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{formatMoney(minor, currency)}</span>
}
