/** What stands behind the `?` of an address. A filter is text and stays as it was typed: no JSON. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Leaves out what is empty. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(search).filter(
    (field): field is [string, string] => typeof field[1] === 'string' && field[1] !== '',
  )
  const text = new URLSearchParams(fields).toString()
  return text === '' ? '' : `?${text}`
}
