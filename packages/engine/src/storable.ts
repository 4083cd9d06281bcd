/*
 * Text from outside has what Postgres cannot store: zero bytes, and halves of characters, as a cut by
 * `slice` leaves them. One of them must not keep a message from being settled or a saga from going on.
 */

/** Text that Postgres takes: without zero bytes, and with a mark in place of half a character. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

/** The same for a value as JSON, in names and texts at any depth. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'string') return storableText(each)
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    const isClean = Object.keys(each).every((key) => key === storableText(key))
    if (isClean) return each
    const entries = Object.entries(each)
    return Object.fromEntries(entries.map(([key, field]) => [storableText(key), field]))
  })
}

/** The beginning of a text, of so many units at the most; a character of two units is not split. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(most - 1))
  return text.slice(0, isSplit ? most - 1 : most)
}
