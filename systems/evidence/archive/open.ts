import type { SpoolFile } from '@posthorn/bulk/spool'
import type { Archive, ArchiveSource, OpenedArchive } from './archive.ts'
import { checkContents } from './contents.ts'
import { checkCsv, findCsv, readCsvFile } from './csv-file.ts'
import { readDirectory } from './directory.ts'
import { findEnd } from './end-record.ts'
import { isAdded, showName } from './entry-name.ts'
import { readEvidence } from './evidence-file.ts'
import { placeEntries, type PlacedEntry } from './layout.ts'
import { DEFAULT_LIMITS, type ArchiveLimits } from './limits.ts'
import { ArchiveRejected, BadFileError } from './reasons.ts'
import { spoolArchive, tooLarge } from './spool.ts'
import { windowOn } from './window.ts'

/**
 * Opens an archive whose every part has been checked but the evidence itself: once it is open, single
 * files can turn out to be bad, the archive cannot. Throws `NotStored` if there is no such object.
 */
export async function openArchive(
  source: ArchiveSource,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<OpenedArchive> {
  let spool: SpoolFile | undefined
  try {
    await checkSize(source, limits)
    spool = await spoolArchive(source, limits)
    return { kind: 'opened', archive: await checkArchive(spool, source.signal, limits) }
  } catch (error) {
    await spool?.close()
    if (!(error instanceof ArchiveRejected)) throw error
    return { kind: 'rejected', reason: error.reason, detail: error.detail }
  }
}

/** Before a byte of it is fetched. A version has no size that could be asked for: it is counted. */
async function checkSize(source: ArchiveSource, { zipBytes }: ArchiveLimits): Promise<void> {
  if (source.version !== undefined) return
  const object = await source.storage.head(source.key)
  if (object && object.size > zipBytes) throw tooLarge(zipBytes)
}

async function checkArchive(
  spool: SpoolFile,
  signal: AbortSignal | undefined,
  limits: ArchiveLimits,
): Promise<Archive> {
  const end = await findEnd(spool)
  const window = windowOn(spool, signal)
  const entries = await readDirectory({ window, end, limits })
  checkContents(entries, spool.size, limits)
  const placed = await placeEntries(window, entries, end.directoryStart)
  const files = placed.filter(({ name, isFolder }) => !isFolder && !isAdded(name))
  const csv = findCsv(files, limits)
  await checkCsv(spool, csv, signal)
  return archiveOf(spool, { csv, files: files.filter((file) => file !== csv) }, limits)
}

interface Contents {
  readonly csv: PlacedEntry
  readonly files: readonly PlacedEntry[]
}

function archiveOf(spool: SpoolFile, { csv, files }: Contents, limits: ArchiveLimits): Archive {
  const byName = new Map(files.map((file) => [file.name, file]))
  // Who packs a folder names its files as they lie beside the CSV.
  const beside = csv.name.slice(0, csv.name.lastIndexOf('/') + 1)
  const find = (name: string) => {
    const normal = name.normalize('NFC')
    return byName.get(normal) ?? byName.get(beside + normal)
  }
  return {
    csv: { name: csv.name, size: csv.size },
    names: () => [...byName.keys()],
    resolve: (name) => find(name)?.name,
    has: (name) => find(name) !== undefined,
    readCsv: async () => readCsvFile(spool, csv),
    readFile: async (name) => {
      const file = find(name)
      if (file) return readEvidence(spool, file, limits)
      throw new BadFileError('FILE_MISSING', `The archive has no file ${showName(name)}.`)
    },
    close: () => spool.close(),
  }
}
