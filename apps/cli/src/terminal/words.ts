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

/** ` Did you mean …?`, or nothing if no known word is close. */
export function suggest(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** The word that was probably meant; undefined if none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, distance: distanceOf(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.max(2, each.length * 0.4))
    .toSorted((one, other) => one.distance - other.distance)
  return best?.each
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of from.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of to.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
