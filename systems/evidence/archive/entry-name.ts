import { isUtf8 } from 'node:buffer'
import { getFileNameLowLevel, type ExtraField } from 'yauzl'
import type { ArchiveLimits } from './limits.ts'
import { ArchiveRejected } from './reasons.ts'

export interface RawName {
  readonly bytes: Buffer
  readonly flags: number
  readonly extraFields: ExtraField[]
}

const IS_UTF8 = 0x800

/**
 * The name of an entry in one form, NFC. Archives of macOS and Linux often hold UTF-8 without saying
 * so; other bytes are what DOS had.
 */
export function decodeName({ bytes, flags, extraFields }: RawName): string {
  const known = isUtf8(bytes) ? flags | IS_UTF8 : flags
  return getFileNameLowLevel(known, bytes, extraFields, true).normalize('NFC')
}

/** Names that would lead elsewhere if used as a path, or that cannot be written. */
export function checkName(name: string, limits: ArchiveLimits): void {
  const fault = faultOf(name, limits)
  if (fault) throw new ArchiveRejected('UNSAFE_NAME', `${showName(name)} ${fault}.`)
}

function faultOf(name: string, { nameBytes, depth }: ArchiveLimits): string | undefined {
  if (name === '') return 'is no name'
  if (Buffer.byteLength(name) > nameBytes) return `has more than ${nameBytes} bytes`
  if (/[\p{Cc}\uFFFD]/u.test(name)) return 'has characters that are no text'
  if (name.includes('\\')) return 'has a backslash'
  if (/^[a-z]:/i.test(name)) return 'begins with a drive'
  if (name.startsWith('/')) return 'begins at the root'
  const folders = name.split('/')
  const file = folders.pop()
  if (folders.some((part) => part === '..') || file === '..') return 'climbs out of the archive'
  if (folders.some((part) => part === '' || part === '.') || file === '.')
    return 'has empty folders'
  if (folders.length > depth && !isAdded(name)) return `lies deeper than ${depth} folders`
  return undefined
}

/** What two names have in common if some file system takes them for one. */
export function foldName(name: string): string {
  return name.replace(/\/$/, '').toUpperCase().toLowerCase().normalize('NFC')
}

const ADDED_NAMES = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$/i

/** Whether an operating system added the entry by itself. */
export function isAdded(name: string): boolean {
  return name.startsWith('__MACOSX/') || ADDED_NAMES.test(name)
}

/** A name for a sentence: quoted, short, and without anything that could not be stored. */
export function showName(name: string): string {
  const clipped = name.length > 80 ? `${name.slice(0, 80)}…` : name
  return JSON.stringify(clipped)
}
