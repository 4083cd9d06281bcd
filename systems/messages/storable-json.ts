/**
 * JSON that Postgres takes: without zero bytes and halves of characters, which other people's words
 * may have in them. One of those must not keep a message from being settled.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'string') return cleanText(each)
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    const isClean = Object.keys(each).every((key) => key === cleanText(key))
    if (isClean) return each
    return Object.fromEntries(Object.entries(each).map(([key, field]) => [cleanText(key), field]))
  })
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
