import type { Archive } from '../archive/archive.ts'
import { ArchiveRejected, BadFileError } from '../archive/reasons.ts'
import type { Scanner } from '../scan/clamd.ts'
import type { Storage } from '../storage/storage.ts'

/** An evidence file of a job: where it is kept, or what is wrong with it. */
export type StagedFile =
  | {
      readonly kind: 'staged'
      readonly name: string
      readonly key: string
      readonly size: number
      readonly contentType: string
    }
  | { readonly kind: 'bad'; readonly name: string; readonly message: string }

export interface Staging {
  readonly storage: Storage
  readonly jobId: string
  readonly archive: Archive
  /** Names with their places in the list of all: the place is the key, so a repeat is the same. */
  readonly files: readonly string[]
  /** Those that were staged before a crash. */
  readonly done: ReadonlySet<string>
  readonly signal: AbortSignal
  readonly scanner?: Scanner | undefined
  /** Remembers files; called with some of them at a time. */
  readonly remember: (files: readonly StagedFile[]) => Promise<void>
}

/** Puts of one job at once: enough to hide a store's latency, and not all of its connections. */
const AT_ONCE = 6
/** What a crash may cost to stage again. */
const REMEMBER_EVERY = 50

/** Never the archive's own name: a key is ours to choose. */
export function stagingKey(jobId: string, place: number): string {
  return `staging/${jobId}/${String(place).padStart(6, '0')}`
}

/**
 * Puts every file that rows name into storage, each once. Throws `ArchiveRejected` if the archive
 * turns out to be a trick; a single bad file is only noted.
 */
export async function stageFiles(staging: Staging): Promise<void> {
  const { files, done, signal, remember } = staging
  const queue = files.entries()
  const failed = new AbortController()
  const stop = AbortSignal.any([signal, failed.signal])
  const unremembered: StagedFile[] = []
  const lane = async () => {
    for (const [place, name] of queue) {
      if (done.has(name)) continue
      stop.throwIfAborted()
      unremembered.push(await stageFile(staging, { place, name }))
      if (unremembered.length >= REMEMBER_EVERY) await remember(unremembered.splice(0))
    }
  }
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    try {
      await lane()
    } catch (error) {
      failed.abort(error)
      throw error
    }
  })
  const results = await Promise.allSettled(lanes)
  const first = results.find((result) => result.status === 'rejected')
  if (first) throw failed.signal.aborted ? failed.signal.reason : first.reason
  if (unremembered.length > 0) await remember(unremembered)
}

async function stageFile(
  { storage, jobId, archive, signal, scanner }: Staging,
  { place, name }: { place: number; name: string },
): Promise<StagedFile> {
  const key = stagingKey(jobId, place)
  try {
    // First, and whole: nothing that was not scanned is ever in storage.
    if (scanner) await scanFile(await archive.readFile(name), { scanner, signal })
    const bytes = await archive.readFile(name)
    const { contentType } = bytes
    const { size } = await storage.put(key, bytes, { contentType, signal })
    return { kind: 'staged', name, key, size, contentType }
  } catch (error) {
    // What was cut off is not damaged.
    signal.throwIfAborted()
    const cause = causeOf(error)
    if (cause instanceof BadFileError) return { kind: 'bad', name, message: cause.detail }
    throw cause instanceof ArchiveRejected ? cause : error
  }
}

async function scanFile(
  bytes: AsyncIterable<Uint8Array>,
  { scanner, signal }: { scanner: Scanner; signal: AbortSignal },
): Promise<void> {
  const verdict = await scanner.scan(bytes, signal)
  if (verdict.kind === 'infected') {
    throw new BadFileError('FILE_INFECTED', `The virus scanner found ${verdict.name} in it.`)
  }
  if (verdict.kind === 'unscannable') throw new BadFileError('FILE_UNSCANNED', verdict.reason)
}

/** What was wrong with the file may come wrapped by the storage. */
function causeOf(error: unknown): unknown {
  if (error instanceof BadFileError || error instanceof ArchiveRejected) return error
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}
