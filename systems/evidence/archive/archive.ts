import type { Readable } from 'node:stream'
import type { CsvStyle } from '@posthorn/bulk/csv'
import type { Storage } from '../storage/storage.ts'
import type { ArchiveReason } from './reasons.ts'

/** The object that is said to be a ZIP. */
export interface ArchiveSource {
  readonly storage: Storage
  readonly key: string
  readonly version?: string
  /** Where its bytes are kept while it is open; default the system's folder for temporary files. */
  readonly spoolFolder?: string
  readonly signal?: AbortSignal
}

export type OpenedArchive =
  | { readonly kind: 'opened'; readonly archive: Archive }
  | { readonly kind: 'rejected'; readonly reason: ArchiveReason; readonly detail: string }

/** A file that passed as far as it was read: its end is only reached if all of it is right. */
export interface EvidenceStream extends Readable {
  /** By its first bytes, not by its name. */
  readonly contentType: string
  /** As the archive says it; the stream fails if that is not true. */
  readonly size: number
}

/** A ZIP with one CSV and evidence files, whose directory has been checked. */
export interface Archive {
  readonly csv: { readonly name: string; readonly size: number; readonly style: CsvStyle }
  /** The evidence files: neither the CSV nor folders nor what macOS adds. */
  names(): readonly string[]
  /** The name of the evidence file that a row means: as written, or beside the CSV. */
  resolve(name: string): string | undefined
  has(name: string): boolean
  /** The CSV's bytes; the stream ends in `ArchiveRejected` if something is wrong with them. */
  readCsv(): Promise<Readable>
  /** A file's bytes; this or the stream ends in `BadFileError` or `ArchiveRejected`. */
  readFile(name: string): Promise<EvidenceStream>
  /** Gives the disk space back; reads under way fail. */
  close(): Promise<void>
}
