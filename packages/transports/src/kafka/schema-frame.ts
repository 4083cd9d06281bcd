/** What a record begins with that names its schema; JSON never does. */
const MAGIC = 0
/** The magic byte, and the id in four. */
const PREFIX_BYTES = 5

/** JSON behind the id of its schema, as Confluent's serializers write it. */
export function frameJson(schemaId: number, json: string): Buffer {
  const framed = Buffer.alloc(PREFIX_BYTES + Buffer.byteLength(json))
  framed.writeUInt8(MAGIC)
  framed.writeUInt32BE(schemaId, 1)
  framed.write(json, PREFIX_BYTES)
  return framed
}

/** The id of the schema that a value names, and what is behind it; the value itself where it names none. */
export function unframe(value: Buffer): { schemaId: number | undefined; body: Buffer } {
  const isFramed = value.byteLength >= PREFIX_BYTES && value[0] === MAGIC
  if (!isFramed) return { schemaId: undefined, body: value }
  return { schemaId: value.readUInt32BE(1), body: value.subarray(PREFIX_BYTES) }
}
