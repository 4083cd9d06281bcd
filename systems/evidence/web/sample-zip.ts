const CASES = ['CASE-1001', 'CASE-1002', 'CASE-1003', 'CASE-1004', 'CASE-1005'] as const

/** A small ZIP to try things with: five good rows, one without its file, and a file that no row names. */
export function sampleZip(): File {
  const letter = (text: string) => `%PDF-1.7\n${text}\n%%EOF\n`
  const rows = CASES.map((id, n) => `${id},invoice-${n + 1}.pdf,sample customer ${n + 1}`)
  const csv = ['case_id,evidence_files,note', ...rows, 'CASE-1006,missing.pdf,its file is missing']
  const bytes = zipOf({
    'cases.csv': `${csv.join('\n')}\n`,
    ...Object.fromEntries(CASES.map((id, n) => [`invoice-${n + 1}.pdf`, letter(id)])),
    'not-in-the-table.pdf': letter('left over'),
  })
  return new File([bytes], 'sample.zip', { type: 'application/zip' })
}

/** A ZIP of texts, stored as they are: samples are too small to be worth packing. */
export function zipOf(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const locals: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [bytesOf(path), bytesOf(text)]
    const facts = factsOf(name, data)
    const local = joinBytes([numbers([4, 0x04034b50]), facts, name, data])
    const place = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset])
    directory.push(numbers([4, 0x02014b50], [2, 20]), facts, place, name)
    locals.push(local)
    offset += local.length
  }
  const index = joinBytes(directory)
  const count = locals.length
  const counts = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count])
  return joinBytes([...locals, index, counts, numbers([4, index.length], [4, offset], [2, 0])])
}

/** What both headers of an entry say of it: version, UTF-8 names, stored, 1 January 1980. */
function factsOf(name: Uint8Array, data: Uint8Array): Uint8Array {
  const size = data.length
  return numbers(
    ...([
      [2, 20],
      [2, 0x800],
      [2, 0],
      [2, 0],
      [2, 0x21],
    ] as const),
    ...([
      [4, crc32(data)],
      [4, size],
      [4, size],
      [2, name.length],
      [2, 0],
    ] as const),
  )
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Numbers of 2 or 4 bytes, the lowest first. */
function numbers(...values: readonly (readonly [size: 2 | 4, value: number])[]): Uint8Array {
  return Uint8Array.from(
    values.flatMap(([size, value]) =>
      Array.from({ length: size }, (_, at) => (value >>> (8 * at)) & 0xff),
    ),
  )
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of data) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
