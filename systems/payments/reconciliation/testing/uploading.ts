import { Readable } from 'node:stream'
import { json, type Answer } from '@posthorn/system/testing/ask'
import { userOf } from '../../testing/serving.ts'

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
  const ask = await userOf(url, { role: 'member', ...caller })
  return {
    upload(content, query = '?filename=bank.csv') {
      const isForm = content instanceof FormData
      return ask(`/api/v1/reconciliations${query}`, {
        method: 'POST',
        headers: { ...(!isForm && { 'content-type': 'text/csv' }) },
        body: isStream(content) ? (Readable.toWeb(Readable.from(content)) as BodyInit) : content,
        duplex: 'half',
      } as RequestInit)
    },
    send: (method, path, body) => ask(path, json(method, body)),
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
