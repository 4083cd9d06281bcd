/**
 * A parameter in Postgres's own text form, as pg would send it. For libraries whose conversions
 * depend on the parameter's type or on their own settings: what is text already, they leave alone.
 */
export function textValue(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(element).join()}}`
  if (typeof value === 'object') return JSON.stringify(value)
  return (value as number | bigint | boolean).toString()
}

function element(value: unknown): string {
  if (Array.isArray(value)) return textValue(value) ?? ''
  const text = textValue(value)
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
