import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { pace } from '../../../proof/kit/stand/load.ts'
import type { SystemProof } from '../../../proof/kit/stand/system-proof.ts'
import { documents } from '../simulators/index.ts'
import { evidenceLines } from './ledger.ts'
import { selectCases, selectEvidenceSums } from './queries.ts'

const PER_SECOND = 0.15
const ROWS = 25

/** Files of cases, each case once. */
export const proof: SystemProof = {
  name: 'evidence',
  closed: ['evidence.files', 'evidence.large-files'],
  simulators: () => [documents()],
  env: ({ simulators, isImpatient }) => ({
    ...{ DOCUMENTS_URL: `${simulators}/documents`, EVIDENCE_LEASE_MS: '10000' },
    ...(isImpatient && { DOCUMENTS_TIMEOUT_MS: '2000', DOCUMENTS_PROBE_MS: '1000' }),
  }),
  rest: async (db) => ({ 'file jobs': (await selectEvidenceSums(db)).open }),
  async inFlight(db) {
    const ends = ['SUCCESS', 'ERROR']
    const cases = await selectCases(db)
    return { 'rows of files': cases.filter(({ status }) => !ends.includes(status)).length }
  },
  lines: evidenceLines,
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
