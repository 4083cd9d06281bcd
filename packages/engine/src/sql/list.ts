// What an array's text can hold without quotes: ids, numbers, states, codes.
const PLAIN = /^[\w.:+-]+$/
const NULL = /^null$/i

export type Listed = string | number | bigint | null | undefined

/**
 * A list as Postgres reads it. pg would make the same text out of an array, by way of several strings
 * for each value; a batch has thousands.
 */
export function list(values: readonly Listed[]): string {
  const texts = values.map((value) => {
    if (value === null || value === undefined) return 'NULL'
    if (typeof value === 'number') return value
    const text = String(value)
    return PLAIN.test(text) && !NULL.test(text) ? text : quote(text)
  })
  return `{${texts.join(',')}}`
}

/** Postgres text cannot hold NUL: one in a text must never make settling fail. */
function quote(text: string): string {
  return `"${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
