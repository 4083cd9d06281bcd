import { beginsAsZip } from '@posthorn/bulk/zip'
import { invalid } from '@posthorn/http'
import { problem } from '../../problems.ts'
import type { Rules } from '../profiles/rules.ts'

/** What a bank's file is written in. */
export const FORMATS = ['csv', 'camt.053', 'mt940'] as const
export type Format = (typeof FORMATS)[number]

/** So many first bytes show it. */
export const BEGINNING_BYTES = 4_096

const XML_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/
const SHEET_TYPE = /^application\/(?:vnd\.ms-excel|vnd\.openxmlformats|vnd\.oasis\.opendocument)/
const TO_DO =
  'Save the sheet as CSV (in Excel: File, Save As, "CSV UTF-8"), or ask your bank for camt.053 or MT940, and upload that.'

const MAGIC: readonly (readonly [bytes: readonly number[], detail: string])[] = [
  [[0xd0, 0xcf, 0x11, 0xe0], `This is an old Excel workbook. ${TO_DO}`],
  [
    [0x25, 0x50, 0x44, 0x46],
    'This is a PDF. Ask your bank for the statement as camt.053, MT940 or CSV.',
  ],
  [[0x1f, 0x8b], 'This is a compressed file. Unpack it and upload what is inside.'],
]

/** The first entry of a workbook, which is a ZIP too: its name follows a header of 30 bytes. */
const WORKBOOK_ENTRY = /^(?:\[Content_Types\]\.xml|(?:_rels|docProps|customXml|xl)\/|mimetypeapp)/

/** Refuses, with what to do instead, what no rules could read. */
export function refuseOthers(beginning: Buffer, contentType: string | undefined): void {
  for (const [bytes, detail] of MAGIC) {
    if (beginning.subarray(0, bytes.length).equals(Buffer.from(bytes))) {
      throw problem('UNSUPPORTED_MEDIA_TYPE', { detail })
    }
  }
  if (beginsAsZip(beginning) && WORKBOOK_ENTRY.test(beginning.toString('latin1', 30, 64))) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', { detail: `This is an Excel workbook. ${TO_DO}` })
  }
  if (contentType !== undefined && SHEET_TYPE.test(contentType)) {
    // Browsers call a CSV file so where Excel is installed.
    const isText = !beginning.includes(0)
    if (!isText) throw problem('UNSUPPORTED_MEDIA_TYPE', { detail: `This is a workbook. ${TO_DO}` })
  }
}

/** Of the files in a ZIP: rules for another format have nothing to read there. */
export function zippedFormat({ format = 'camt.053' }: Rules): Format {
  if (format === 'camt.053') return format
  throw invalid([{ field: 'profile', reason: `reads ${format}, and a ZIP may have only camt.053` }])
}

/** What the rules say, else what the content type says, else what the first bytes show. */
export function formatOf(
  beginning: Buffer,
  { contentType, rules }: { readonly contentType?: string | undefined; readonly rules: Rules },
): Format {
  if (rules.format !== undefined) return rules.format
  if (contentType !== undefined && XML_TYPE.test(contentType)) return 'camt.053'
  // UTF-16 has a NUL beside every letter of the tags.
  const text = beginning
    .toString('latin1', 0, BEGINNING_BYTES)
    .replace(/^(?:\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)/, '')
    .replaceAll('\0', '')
    .trimStart()
  if (/^<(?:\?xml|!--|[\w.-]+[\s:>])/.test(text)) return 'camt.053'
  return /^(?:\{1:|:20:)/m.test(text) ? 'mt940' : 'csv'
}
