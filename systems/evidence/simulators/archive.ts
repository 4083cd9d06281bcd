import { createHash } from 'node:crypto'
import type { MultipartFile } from '@posthorn/simulators'

export type Attaching =
  | { readonly kind: 'attached'; readonly attachment: Attachment }
  | { readonly kind: 'rejected' | 'unavailable' }
  /** The key stands for another request. */
  | { readonly kind: 'reused' }

export interface AttachmentFilter {
  readonly caseId?: string | undefined
  readonly key?: string | undefined
}

/** All that is attached. Nothing in it waits, so that one key attaches once. */
export class Archive {
  readonly #attachments = new Map<string, Attachment>()
  readonly #failures = new Map<string, number>()

  attach(key: string, evidence: Evidence): Attaching {
    const { caseId, files } = evidence
    const fate = fateOf(caseId)
    if (fate.kind === 'rejected') return fate
    const fingerprint = fingerprintOf(evidence)
    const known = this.#attachments.get(key)
    if (known) {
      const isSame = known.fingerprint === fingerprint
      return isSame ? { kind: 'attached', attachment: known } : { kind: 'reused' }
    }
    const failures = this.#failures.get(key) ?? 0
    if (failures < fate.failures) {
      this.#failures.set(key, failures + 1)
      return { kind: 'unavailable' }
    }
    this.#failures.delete(key)
    const fileNames = files.map(({ name }) => name)
    const attachment = { key, caseId, fileNames, fingerprint, attachedAt: Date.now() }
    this.#attachments.set(key, attachment)
    return { kind: 'attached', attachment }
  }

  /** Newest first. */
  list({ caseId, key }: AttachmentFilter): Attachment[] {
    return [...this.#attachments.values()]
      .filter((one) => caseId === undefined || one.caseId === caseId)
      .filter((one) => key === undefined || one.key === key)
      .reverse()
  }

  forget(): void {
    this.#attachments.clear()
    this.#failures.clear()
  }
}

/** Files to attach to a case. */
export interface Evidence {
  readonly caseId: string
  readonly files: readonly MultipartFile[]
}

/** Files attached to a case, under one key. */
export interface Attachment {
  readonly key: string
  readonly caseId: string
  readonly fileNames: readonly string[]
  /** Of the case and the files' bytes: another request under the same key has another. */
  readonly fingerprint: string
  readonly attachedAt: number
}

/** What a case id means here beside its value. */
type Fate =
  | { readonly kind: 'rejected' }
  /** That many attempts of a key fail first. */
  | { readonly kind: 'taken'; readonly failures: number }

const MAGIC: readonly (readonly [part: string, fate: Fate])[] = [
  ['REJECT', { kind: 'rejected' }],
  ['FAILX', { kind: 'taken', failures: Infinity }],
  ['FAIL2', { kind: 'taken', failures: 2 }],
  ['FAIL1', { kind: 'taken', failures: 1 }],
]

function fateOf(caseId: string): Fate {
  const magic = MAGIC.find(([part]) => caseId.includes(part))
  return magic?.[1] ?? { kind: 'taken', failures: 0 }
}

function fingerprintOf({ caseId, files }: Evidence): string {
  const content = JSON.stringify([caseId, ...files.map(({ name, sha256 }) => [name, sha256])])
  return createHash('sha256').update(content).digest('base64url')
}

/** One for each file, made from the key: a million attachments need not keep theirs. */
export function idsOf({ key, fileNames }: Attachment): string[] {
  return fileNames.map((_, at) => {
    const hash = createHash('sha256').update(JSON.stringify([key, at]))
    return `doc_${hash.digest('hex').slice(0, 24)}`
  })
}
