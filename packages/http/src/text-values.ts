interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/**
 * What the text of a query, a path or a header means by its schema. Text that does not look like
 * its type stays text, and is refused by the validation that follows.
 */
export function fromText(schema: unknown, value: unknown): unknown {
  const { type, properties, items } = schema as Shape
  if (type === 'object' && typeof value === 'object' && value !== null) {
    const read = { ...value } as Record<string, unknown>
    for (const [name, shape] of Object.entries(properties ?? {})) {
      if (Object.hasOwn(read, name)) read[name] = fromText(shape, read[name])
    }
    return read
  }
  if (type === 'array') {
    const list = Array.isArray(value) ? value : [value]
    return items ? list.map((item) => fromText(items, item)) : list
  }
  if (typeof value !== 'string') return value
  if (type === 'integer' || type === 'number') {
    return /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value
  }
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}
