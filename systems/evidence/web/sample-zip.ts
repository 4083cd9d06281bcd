const CASES = ['CASE-1001', 'CASE-1002', 'CASE-1003', 'CASE-1004', 'CASE-1005'] as const

/** A sample: five good rows, one without its file, and a file that no row names. */
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
    // Of both headers: version, UTF-8 names, stored, 1 January 1980.
    const facts = joinBytes([
      shorts(20, 0x800, 0, 0, 0x21),
      longs(crc32(data), data.length, data.length),
      shorts(name.length, 0),
    ])
    const local = joinBytes([longs(0x04034b50), facts, name, data])
    directory.push(longs(0x02014b50), shorts(20), facts, shorts(0, 0, 0), longs(0, offset), name)
    locals.push(local)
    offset += local.length
  }
  const index = joinBytes(directory)
  const count = locals.length
  const end = [
    longs(0x06054b50),
    shorts(0, 0, count, count),
    longs(index.length, offset),
    shorts(0),
  ]
  return joinBytes([...locals, index, ...end])
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** The lowest byte first, as every browser's machine has it. */
const shorts = (...values: number[]) => new Uint8Array(Uint16Array.from(values).buffer)
const longs = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer)

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
