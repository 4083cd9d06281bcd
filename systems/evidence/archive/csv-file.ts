import type { SpoolFile } from '@posthorn/bulk/spool'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { DamagedEntry, unpack } from './entry-stream.ts'
import { showName } from './entry-name.ts'
import type { PlacedEntry } from './layout.ts'
import type { ArchiveLimits } from './limits.ts'
import { ArchiveRejected } from './reasons.ts'

/** The one CSV among the files of an archive. */
export function findCsv(files: readonly PlacedEntry[], { csvBytes }: ArchiveLimits): PlacedEntry {
  const [csv, second] = files.filter(({ name }) => /\.csv$/i.test(name))
  if (!csv) throw new ArchiveRejected('NO_CSV', 'The archive has no file that ends in .csv.')
  if (second) {
    const detail = `The archive has ${showName(csv.name)} and ${showName(second.name)}.`
    throw new ArchiveRejected('SEVERAL_CSVS', detail)
  }
  if (csv.size > csvBytes) {
    const detail = `${showName(csv.name)} has ${csv.size} bytes; ${csvBytes} are allowed.`
    throw new ArchiveRejected('CSV_TOO_LARGE', detail)
  }
  return csv
}

export function readCsvFile(spool: SpoolFile, entry: PlacedEntry): Readable {
  return Readable.from(withArchiveFaults(unpack(spool, entry), entry.name), { objectMode: false })
}

/** Reads the CSV once and keeps nothing: its checksum stands at its end, behind the last row. */
export async function checkCsv(
  spool: SpoolFile,
  entry: PlacedEntry,
  signal: AbortSignal | undefined,
): Promise<void> {
  await finished(readCsvFile(spool, entry).resume(), signal ? { signal } : {})
}

async function* withArchiveFaults(
  pieces: AsyncIterable<Buffer>,
  name: string,
): AsyncIterable<Buffer> {
  try {
    yield* pieces
  } catch (cause) {
    if (!(cause instanceof DamagedEntry)) throw cause
    const reason = cause.fault === 'longer' ? 'HEADER_MISMATCH' : 'CSV_DAMAGED'
    throw new ArchiveRejected(reason, `${showName(name)} is damaged. ${cause.message}`, { cause })
  }
}
