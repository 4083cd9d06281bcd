import { sha256 } from './kept-body.ts'

export interface MultipartFile {
  /** The field it was sent as. */
  readonly field: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
  readonly bytes: Buffer
}

/** A parsed `multipart/form-data` body, as a simulator's handler gets it. */
export interface Multipart {
  /** A field that was sent several times has a list. */
  readonly fields: Readonly<Record<string, string | string[]>>
  readonly files: readonly MultipartFile[]
}

/** Parses the body in memory: the route's body limit bounds it. Throws for anything malformed. */
export async function parseMultipart(bytes: Buffer, contentType: string): Promise<Multipart> {
  const body = new Response(Uint8Array.from(bytes), { headers: { 'content-type': contentType } })
  const fields = new Map<string, string | string[]>()
  const files: MultipartFile[] = []
  for (const [field, value] of await body.formData()) {
    if (typeof value === 'string') {
      const earlier = fields.get(field)
      fields.set(field, earlier === undefined ? value : [earlier, value].flat())
      continue
    }
    const content = Buffer.from(await value.arrayBuffer())
    const { name, type, size } = value
    files.push({ field, name, type, size, sha256: sha256(content), bytes: content })
  }
  return { fields: Object.fromEntries(fields), files }
}
