import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** A PDF by its first bytes, different for each text. */
export function pdf(text = 'evidence'): Buffer {
  return Buffer.from(`%PDF-1.7\n${text}\n%%EOF\n`)
}

/** A ZIP with these entries. */
export async function zip(entries: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const file = new ZipFile()
  for (const [name, content] of Object.entries(entries)) {
    file.addBuffer(Buffer.from(content), name, { mtime: new Date(0) })
  }
  file.end()
  return buffer(file.outputStream)
}

/** A ZIP with a row for each case, all with the same file. */
export function zipOfCases(cases: readonly string[]): Promise<Buffer> {
  const rows = cases.map((id) => `${id},a.pdf\n`).join('')
  return zip({ 'cases.csv': `case_id,evidence_files\n${rows}`, 'a.pdf': pdf() })
}

export function casesNamed(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}-${n + 1}`)
}
