/** So many bytes of a file's beginning tell what it is; the mark of a tar comes last. */
export const TELLING_BYTES = 262

export interface Mark {
  readonly bytes: string
  readonly at?: number
}

const ARCHIVES: readonly Mark[] = [
  { bytes: 'PK\u0003\u0004' },
  { bytes: 'PK\u0005\u0006' },
  { bytes: 'PK\u0007\u0008' },
  { bytes: '7z\u00bc\u00af\u0027\u001c' },
  { bytes: 'Rar!\u001a\u0007' },
  { bytes: '\u001f\u008b' },
  { bytes: '\u001f\u009d' },
  { bytes: 'BZh91AY&SY' },
  { bytes: '\u00fd7zXZ\0' },
  { bytes: '\u0028\u00b5\u002f\u00fd' },
  { bytes: 'LZIP\u0001' },
  { bytes: 'MSCF\0\0\0\0' },
  { bytes: '!<arch>\n' },
  { bytes: 'ustar', at: 257 },
]

const ARCHIVE_NAMES =
  /\.(zip|zipx|7z|rar|tar|gz|tgz|bz2|tbz2?|xz|txz|zst|lz|lzma|z|cab|arj|ace|jar|war|apk|iso|dmg)$/i
/** Written as ZIPs, but meant as one document: a wrong file, not an archive in the archive. */
const DOCUMENT_NAMES = /\.(docx|docm|xlsx|xlsm|pptx|odt|ods|odp|epub|pages|numbers)$/i

export function isArchiveName(name: string): boolean {
  return ARCHIVE_NAMES.test(name)
}

export function isArchive(name: string, beginning: Buffer): boolean {
  return !DOCUMENT_NAMES.test(name) && ARCHIVES.some((mark) => hasMark(beginning, mark))
}

/** Whether a file has the mark. */
export function hasMark(beginning: Buffer, { bytes, at = 0 }: Mark): boolean {
  return beginning.toString('latin1', at, at + bytes.length) === bytes
}
