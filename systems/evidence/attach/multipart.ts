import { randomUUID } from 'node:crypto'

/** A file to send; its bytes are asked for when their turn comes. */
export interface SentFile {
  readonly name: string
  readonly contentType: string
  readonly size: number
  read(): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>
}

export interface MultipartBody {
  readonly contentType: string
  /** Known beforehand, so that the other side can refuse what is too large. */
  readonly length: number
  bytes(): AsyncGenerator<Uint8Array>
}

/** A form with fields and files that is made while it is sent: no file is held in memory. */
export function multipartBody(
  fields: Readonly<Record<string, string>>,
  { field, files }: { field: string; files: readonly SentFile[] },
): MultipartBody {
  const boundary = `posthorn-${randomUUID()}`
  const head = (disposition: string, more = '') =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`)
  const texts = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([head(`name="${escapeName(name)}"`), Buffer.from(`${value}\r\n`)]),
  )
  const parts = files.map((file) => ({
    file,
    head: head(
      `name="${escapeName(field)}"; filename="${escapeName(file.name)}"`,
      `Content-Type: ${file.contentType}\r\n`,
    ),
  }))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const line = Buffer.from('\r\n')
  const sizes = [
    ...texts.map((text) => text.length),
    ...parts.map((part) => part.head.length + part.file.size + line.length),
  ]
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: sizes.reduce((sum, size) => sum + size, end.length),
    async *bytes() {
      yield* texts
      for (const part of parts) {
        yield part.head
        yield* await part.file.read()
        yield line
      }
      yield end
    },
  }
}

/** As browsers do it. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
