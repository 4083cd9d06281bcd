import { fateOf, fingerprintOf, type Attachment, type Evidence } from './attachment.ts'

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
