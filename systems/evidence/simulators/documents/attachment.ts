import { createHash } from 'node:crypto'
import type { MultipartFile } from '@posthorn/simulators'

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
export type Fate =
  | { readonly kind: 'rejected' }
  /** That many attempts of a key fail first. */
  | { readonly kind: 'taken'; readonly failures: number }

const MAGIC: readonly (readonly [part: string, fate: Fate])[] = [
  ['REJECT', { kind: 'rejected' }],
  ['FAILX', { kind: 'taken', failures: Infinity }],
  ['FAIL2', { kind: 'taken', failures: 2 }],
  ['FAIL1', { kind: 'taken', failures: 1 }],
]

export function fateOf(caseId: string): Fate {
  const magic = MAGIC.find(([part]) => caseId.includes(part))
  return magic?.[1] ?? { kind: 'taken', failures: 0 }
}

export function fingerprintOf({ caseId, files }: Evidence): string {
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
