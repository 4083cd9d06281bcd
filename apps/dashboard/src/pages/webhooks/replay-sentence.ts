import { formatCount } from '../../format/number.ts'

/** `1 delivery is`, `7 deliveries are`. */
export function deliveriesOf(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'delivery' : 'deliveries'}`
}
