/** What is longer is hardly ever the same twice: an id, a trace. */
const MOST_CHARS = 32
const MOST_TEXTS = 500

/**
 * Turns texts into bytes and remembers the short ones: of the dozen headers of a record, all names and
 * most values are those of the record before. When it is full it begins anew, so that what does not
 * come again takes no room for long.
 */
export function cacheBytes(): (text: string) => Buffer {
  const known = new Map<string, Buffer>()
  return (text) => {
    if (text.length > MOST_CHARS) return Buffer.from(text)
    const found = known.get(text)
    if (found) return found
    if (known.size >= MOST_TEXTS) known.clear()
    const bytes = Buffer.from(text)
    known.set(text, bytes)
    return bytes
  }
}
