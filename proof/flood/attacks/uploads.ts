import { Agent } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { exchange } from '../exchange.ts'
import { repeat, type Attack } from './attack.ts'

const AT_ONCE = 64
const ROWS = 2_000

/** Archives of many rows and statements of many lines, sixty-four at once. */
export const uploads: Attack = {
  name: 'uploads',
  about: `${AT_ONCE} uploads at once, of archives with ${ROWS} rows and of statements`,
  async run({ url, tokens, tally, over }) {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    await repeat(AT_ONCE, over, async (place, turn) => {
      const token = tokens[place % tokens.length] ?? ''
      const name = `flood-${process.pid}-${place}-${turn}`
      const isArchive = place % 2 === 0
      const { outcome } = await exchange({
        ...{ agent, method: 'POST', token },
        url: new URL(
          isArchive ? `/api/v1/file-jobs?filename=${name}.zip` : '/api/v1/reconciliations',
          url,
        ),
        headers: {
          'content-type': isArchive ? 'application/zip' : 'multipart/form-data; boundary=flood',
          'idempotency-key': name,
        },
        body: isArchive ? await archive(name) : statement(name),
      })
      tally.count(outcome)
    })
    agent.destroy()
  },
}

async function archive(name: string): Promise<Uint8Array> {
  const zip = new ZipFile()
  const rows = Array.from({ length: ROWS }, (_, n) => `${name}-${n},letter.pdf\n`)
  zip.addBuffer(Buffer.from(`case_id,evidence_files\n${rows.join('')}`), 'cases.csv')
  zip.addBuffer(Buffer.from('%PDF-1.7\n%%EOF\n'), 'letter.pdf')
  zip.end()
  return buffer(zip.outputStream)
}

function statement(name: string): string {
  const lines = Array.from({ length: ROWS }, (_, n) => `${name}-${n},10.00,EUR,2026-01-02\n`)
  return [
    '--flood',
    `content-disposition: form-data; name="file"; filename="${name}.csv"`,
    'content-type: text/csv',
    '',
    `external_transaction_id,amount,currency,date\n${lines.join('')}`,
    '--flood--',
    '',
  ].join('\r\n')
}
