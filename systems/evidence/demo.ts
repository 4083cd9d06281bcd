import {
  advance,
  DemoError,
  stepsWith,
  type DemoChapter,
  type DemoStep,
  type Stage,
} from '@posthorn/system'
import { ZipFile } from 'yazl'

interface Job {
  readonly status: string
  readonly counts: Readonly<Record<string, number>>
}

interface Notification {
  readonly kind: 'N1' | 'N2' | 'REJECTED'
  readonly message: string
}

/** By its name the document store knows what to do with a case. */
const SPECIAL = ['FAIL1-a', 'FAIL1-b', 'FAILX', 'REJECT'] as const
const ROWS = 30

const FILES = { label: 'Files', path: '/file-jobs' }
const DOCUMENTS = { label: 'The document store', path: '/simulators/documents' }

const upload: DemoStep<Notes> = {
  id: 'upload',
  title: 'A ZIP of thirty rows',
  about:
    'A merchant uploads a ZIP: a table of cases and their evidence. Twenty-five rows are attached at ' +
    'once, three fail for now, one is refused, and one names a file that is not there. After the ' +
    'first attempts the merchant is notified.',
  look: [FILES, DOCUMENTS],
  async play({ api, run, notes, tell }) {
    const { fileJobId } = await api.post<{ fileJobId: string }>(
      `/api/v1/file-jobs?filename=demo-${run}.zip`,
      {
        content: { type: 'application/zip', bytes: await makeArchive(run) },
        headers: { 'idempotency-key': `demo-${run}` },
      },
    )
    notes.fileJob = fileJobId
    tell(`First notification: ${await findNotification({ api }, fileJobId, 'N1')}.`)
  },
}

const retries: DemoStep<Notes> = {
  id: 'retries',
  title: 'Twelve hours pass',
  about:
    'Failed rows are retried after six hours, twice. Instead of waiting, the business ' +
    'clock moves six hours, and six more. Two rows succeed, one has used up its attempts, and the ' +
    'merchant is notified of the final result.',
  look: [FILES, { label: 'The clock', path: '/simulators' }],
  async play({ api, notes, tell }) {
    const { fileJob } = notes
    if (fileJob === undefined) throw new DemoError('no file was uploaded')
    const rows = (isDone: (counts: Job['counts']) => boolean) =>
      api.until<Job>(`/api/v1/file-jobs/${fileJob}`, ({ counts }) => isDone(counts))
    const count = (counts: Job['counts'], state: string) => counts[state] ?? 0
    await advance(api, '6h')
    await rows((counts) => count(counts, 'SUCCESS') === 27 && count(counts, 'FAILED') === 1)
    tell('Six hours later two of the three are attached; one failed again.')
    await advance(api, '6h')
    await rows((counts) => count(counts, 'ERROR') === 3)
    tell('Another six hours later the last one is given up: MAX_RETRIES_EXCEEDED.')
    tell(`Second notification: ${await findNotification({ api }, fileJob, 'N2')}.`)
  },
}

async function findNotification(
  { api }: Pick<Stage, 'api'>,
  job: string,
  kind: Notification['kind'],
): Promise<string> {
  const ofKind = ({ items }: { items: readonly Notification[] }) =>
    items.find((each) => each.kind === kind)
  const page = await api.until<{ items: readonly Notification[] }>(
    `/api/v1/file-jobs/${job}/notifications`,
    (each) => ofKind(each) !== undefined,
  )
  return ofKind(page)?.message ?? ''
}

async function makeArchive(run: string): Promise<Uint8Array<ArrayBuffer>> {
  const usual = Array.from({ length: ROWS - SPECIAL.length - 1 }, (_, i) => `${i + 1}`)
  const rows = [...usual, ...SPECIAL].map((name) => `CASE-${run}-${name},letter.pdf`)
  const csv = ['case_id,evidence_files', ...rows, `CASE-${run}-bad,missing.pdf`, ''].join('\n')
  const archive = new ZipFile()
  archive.addBuffer(Buffer.from(csv), 'cases.csv')
  archive.addBuffer(Buffer.from(`%PDF-1.4\n% evidence of ${run}\n%%EOF\n`), 'letter.pdf')
  archive.end()
  const parts: Buffer[] = []
  for await (const part of archive.outputStream) parts.push(part as Buffer)
  return new Uint8Array(Buffer.concat(parts))
}

/** The file of this run. */
interface Notes {
  fileJob?: string
}

export const demo: DemoChapter = {
  simulators: ['documents', 'mail'],
  steps: () => stepsWith<Notes>({}, [upload, retries]),
}
