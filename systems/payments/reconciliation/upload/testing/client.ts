import { Readable } from 'node:stream'
import { tokenOf } from './serving.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of all shapes
  readonly body: any
}

export type Content = string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array> | FormData

export interface Client {
  /** Uploads a file; a form says its type itself. */
  upload(content: Content, query?: string): Promise<Answer>
  send(method: string, path: string, body?: object): Promise<Answer>
}

export async function clientOf(
  url: string,
  caller: { sub?: string; org?: string } = {},
): Promise<Client> {
  const authorization = `Bearer ${await tokenOf(caller)}`
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, init)
    const text = await response.text()
    const body = text === '' ? undefined : (JSON.parse(text) as unknown)
    return { status: response.status, headers: response.headers, body }
  }
  return {
    upload(content, query = '?filename=bank.csv') {
      const isForm = content instanceof FormData
      return ask(`/api/v1/reconciliations${query}`, {
        method: 'POST',
        headers: { authorization, ...(!isForm && { 'content-type': 'text/csv' }) },
        body: isStream(content) ? (Readable.toWeb(Readable.from(content)) as BodyInit) : content,
        duplex: 'half',
      } as RequestInit)
    },
    send: (method, path, body) =>
      ask(path, {
        method,
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
  }
}

function isStream(content: Content): content is AsyncIterable<Uint8Array> {
  return typeof content === 'object' && Symbol.asyncIterator in content
}

export const HEADER = 'external_transaction_id,amount,currency,date\n'

export interface Generated {
  readonly rows: number
  /** Rows that are not as the others, by their line. */
  readonly instead?: Readonly<Record<number, string>>
  /** Goes before the ids, so that no two files are the same. */
  readonly prefix?: string
}

/** A file of any size, made as it is read. */
export async function* generate({
  rows,
  instead = {},
  prefix = 'tx',
}: Generated): AsyncGenerator<Uint8Array> {
  let text = HEADER
  for (let line = 2; line <= rows + 1; line += 1) {
    text += instead[line] ?? `${prefix}_${line},${line % 900}.50,EUR,2026-03-0${1 + (line % 9)}\n`
    if (text.length < 60_000) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
