import type { Entry } from './directory.ts'
import { foldName, showName } from './entry-name.ts'
import type { ArchiveLimits } from './limits.ts'
import { isArchiveName } from './magic.ts'
import { ArchiveRejected } from './reasons.ts'

/** Checks all entries together: what they are called, and what they cost. */
export function checkContents(
  entries: readonly Entry[],
  zipBytes: number,
  limits: ArchiveLimits,
): void {
  checkNames(entries)
  let total = 0
  for (const { name, size, packedSize } of entries) {
    checkRatio({ size, packed: packedSize, what: showName(name) }, limits)
    total += size
  }
  checkRatio({ size: total, packed: zipBytes, what: 'the archive' }, limits)
  if (total <= limits.inflatedBytes) return
  const detail = `The archive unpacks to ${total} bytes; ${limits.inflatedBytes} are allowed.`
  throw new ArchiveRejected('TOO_MUCH_INFLATED', detail)
}

function checkNames(entries: readonly Entry[]): void {
  const seen = new Map<string, string>()
  for (const { name } of entries) {
    if (isArchiveName(name)) {
      throw new ArchiveRejected('NESTED_ARCHIVE', `${showName(name)} is an archive itself.`)
    }
    const folded = foldName(name)
    const other = seen.get(folded)
    if (other !== undefined) {
      const detail = `${showName(other)} and ${showName(name)} are the same name on some systems.`
      throw new ArchiveRejected('DUPLICATE_NAME', detail)
    }
    seen.set(folded, name)
  }
}

interface Packing {
  readonly size: number
  readonly packed: number
  readonly what: string
}

function checkRatio({ size, packed, what }: Packing, limits: ArchiveLimits): void {
  if (size <= limits.ratioGraceBytes || size <= packed * limits.ratio) return
  const detail = `${what} unpacks to ${size} bytes from ${packed}; ${limits.ratio}:1 is allowed.`
  throw new ArchiveRejected('RATIO_EXCEEDED', detail)
}
