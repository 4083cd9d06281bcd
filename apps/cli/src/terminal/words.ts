const UNITS: readonly [name: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
]

/** A length of time as people read it: `4s`, `3m 20s`, `2h 5m`, `12d`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  for (const [i, [name, length]] of UNITS.entries()) {
    if (whole < length) continue
    const [next, shorter] = UNITS[i + 1] ?? ['s', 1]
    const rest = Math.floor((whole % length) / shorter)
    return `${Math.floor(whole / length)}${name}${rest > 0 ? ` ${rest}${next}` : ''}`
  }
  return `${whole}s`
}

/** How long ago, or how long until then. */
export function moment(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1_000
  return seconds > 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `12,345`. */
export function number(value: number): string {
  return NUMBER.format(value)
}

/** `12,345`, and from a hundred thousand on `1.2M`. */
export function shortNumber(value: number): string {
  return value < 100_000 ? number(value) : SHORT.format(value)
}

/** `1 message`, `2 messages`. */
export function pluralise(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Text of others on one line, without anything that could move the cursor or hide the rest. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}|\p{Cf}/gu, '')
    .trim()
}
