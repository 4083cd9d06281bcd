const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** Exact as long as it fits: 999,999, then 1M. */
export function formatCount(n: number): string {
  return n < 1_000_000 ? whole.format(n) : short.format(n)
}

/** So many in a second; the slow ones keep a decimal. */
export function formatRate(perSecond: number): string {
  return `${perSecond < 10 ? fine.format(perSecond) : formatCount(perSecond)}/s`
}

/** A part of all: 0.031 is 3.1%. */
export function formatShare(part: number): string {
  return share.format(part)
}
