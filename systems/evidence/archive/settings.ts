import { Type, type Static } from 'typebox'
import { DEFAULT_LIMITS, type ArchiveLimits } from './limits.ts'

const amount = (description: string, value: number) =>
  Type.Integer({ description, minimum: 1, maximum: 1_000_000_000_000, default: value })

/** What archives may cost, as the part of the system's settings. */
export const archiveSettings = {
  EVIDENCE_MAX_ZIP_BYTES: amount('bytes of a ZIP', DEFAULT_LIMITS.zipBytes),
  EVIDENCE_MAX_ENTRIES: amount('entries of a ZIP', DEFAULT_LIMITS.entries),
  EVIDENCE_MAX_CSV_BYTES: amount('bytes of the CSV in a ZIP', DEFAULT_LIMITS.csvBytes),
  EVIDENCE_MAX_FILE_BYTES: amount('bytes of one evidence file', DEFAULT_LIMITS.fileBytes),
  EVIDENCE_MAX_INFLATED_BYTES: amount(
    'bytes of all files of a ZIP, unpacked',
    DEFAULT_LIMITS.inflatedBytes,
  ),
  EVIDENCE_MAX_RATIO: amount('unpacked bytes for each packed one', DEFAULT_LIMITS.ratio),
  EVIDENCE_MAX_DEPTH: amount('folders above a file in a ZIP', DEFAULT_LIMITS.depth),
  EVIDENCE_SPOOL_FOLDER: Type.Optional(
    Type.String({
      description:
        'the folder on a disk with room for the ZIPs that a process reads at once; without it the one for temporary files',
    }),
  ),
}

const schema = Type.Object(archiveSettings)
export type ArchiveSettings = Static<typeof schema>

export function archiveLimits(settings: ArchiveSettings): ArchiveLimits {
  return {
    ...DEFAULT_LIMITS,
    zipBytes: settings.EVIDENCE_MAX_ZIP_BYTES,
    entries: settings.EVIDENCE_MAX_ENTRIES,
    csvBytes: settings.EVIDENCE_MAX_CSV_BYTES,
    fileBytes: settings.EVIDENCE_MAX_FILE_BYTES,
    inflatedBytes: settings.EVIDENCE_MAX_INFLATED_BYTES,
    ratio: settings.EVIDENCE_MAX_RATIO,
    depth: settings.EVIDENCE_MAX_DEPTH,
  }
}
