/**
 * JSON with one text per meaning (RFC 8785): keys sorted by UTF-16 code units, no white space,
 * numbers and strings as ECMAScript writes them. Fields that are undefined are left out; a bigint
 * is its digits, so that 5n and 5 mean the same. Throws a `TypeError` for what JSON cannot say: two
 * different requests must never become one text.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'bigint':
      return value.toString()
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
      return JSON.stringify(value)
    case 'object':
      return value === null ? 'null' : ofObject(value)
    case 'undefined':
    case 'function':
    case 'symbol':
      break
  }
  throw new TypeError(`a ${typeof value} is not JSON`)
}

function ofObject(value: object): string {
  if (Array.isArray(value)) {
    // As in JSON.stringify, where holes and undefined keep their place.
    return `[${Array.from(value, (item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  // A Map or a Set has no fields: all of them would be the same empty object.
  if (Symbol.iterator in value) throw new TypeError('an iterable that is no array is not JSON')
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`)
  return `{${fields.join(',')}}`
}
