import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { pace, type Load } from './load.ts'

const PER_SECOND = 0.15
const ROWS = 25

/** Files of cases, each case once. */
export const evidence: Load = {
  system: 'evidence',
  run: ({ client, rate, over }) =>
    pace(PER_SECOND * rate, over, async (i) => {
      await client.ask({
        ...{ method: 'POST', path: `/api/v1/file-jobs?filename=chaos-${i}.zip` },
        ...{ key: `file-${i}`, zip: await archive(i) },
      })
    }),
}

async function archive(i: number): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile()
  const rows = Array.from({ length: ROWS }, (_, n) => `CASE-${i}-${n},letter.pdf\n`)
  const add = (name: string, text: string) =>
    zip.addBuffer(Buffer.from(text), name, { mtime: new Date(0) })
  add('cases.csv', `case_id,evidence_files\n${rows.join('')}`)
  add('letter.pdf', `%PDF-1.7\nevidence of ${i}\n%%EOF\n`)
  zip.end()
  return new Uint8Array(await buffer(zip.outputStream))
}
