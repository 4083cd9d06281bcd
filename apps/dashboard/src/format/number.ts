const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const finest = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** Exact as long as it fits: 999,999, then 1M. */
export function formatCount(n: number): string {
  return n < 1_000_000 ? whole.format(n) : short.format(n)
}

/** So many in a time; the slower, the finer, so that the steps of an axis can be told apart. */
export function formatRate(rate: number, per: 's' | 'min' = 's'): string {
  if (rate >= 10) return `${formatCount(rate)}/${per}`
  return `${(rate < 1 ? finest : fine).format(rate)}/${per}`
}

/** A part of all: 0.031 is 3.1%. */
export function formatShare(part: number): string {
  return share.format(part)
}
