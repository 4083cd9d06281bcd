import { createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { pdf, zip } from '../testing/archive.ts'
import { evidenceDatabase, runEvidence } from '../testing/running.ts'
import { clamdScanner } from './clamd.ts'

/** Speaks INSTREAM as clamd does: whole frames in, one answer out. */
function fakeClamd() {
  const scanned: string[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    let bytes = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const command = 'zINSTREAM\0'
      if (bytes.length < command.length) return
      let at = command.length
      let content = ''
      for (;;) {
        if (bytes.length < at + 4) return
        const size = bytes.readUInt32BE(at)
        at += 4
        if (size === 0) break
        if (bytes.length < at + size) return
        content += bytes.toString('latin1', at, at + size)
        at += size
      }
      scanned.push(content)
      if (content.includes('HUGE')) socket.end('INSTREAM size limit exceeded. ERROR\0')
      else if (content.includes('EICAR')) socket.end('stream: Eicar-Signature FOUND\0')
      else if (content.includes('BROKEN')) socket.end('stream: no memory ERROR\0')
      else socket.end('stream: OK\0')
    })
  })
  const listen = async (port = 0): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  }
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  return { scanned, listen, close }
}

const clamd = fakeClamd()
const port = await clamd.listen()
afterAll(() => clamd.close())
const db = await evidenceDatabase()
const running = await runEvidence(db, { env: { CLAMD_ADDRESS: `tcp://127.0.0.1:${port}` } })
const acme = await running.as()

async function* bytesOf(text: string, times = 1) {
  for (let n = 0; n < times; n += 1) yield Buffer.from(text)
}

test('gives clamd every byte, and its verdicts', async () => {
  const scanner = clamdScanner(`tcp://127.0.0.1:${port}`)
  const { signal } = new AbortController()
  expect(await scanner.scan(bytesOf('x'.repeat(100_000), 30), signal)).toEqual({ kind: 'clean' })
  expect(clamd.scanned.at(-1)).toHaveLength(3_000_000)
  expect(await scanner.scan(bytesOf('an EICAR'), signal)).toMatchObject({ kind: 'infected' })
  expect(await scanner.scan(bytesOf('HUGE'), signal)).toMatchObject({ kind: 'unscannable' })
  await expect(scanner.scan(bytesOf('BROKEN'), signal)).rejects.toMatchObject({
    code: 'SCANNER_AWAY',
  })
})

const archive = () =>
  zip({
    'cases.csv':
      'case_id,evidence_files\nclean,a.pdf\ninfected,b.pdf\nboth,a.pdf;b.pdf\nclean-2,a.pdf\n',
    'a.pdf': pdf('a'),
    'b.pdf': pdf('EICAR'),
  })

test('an infected file makes its rows errors, and the rest go on', async () => {
  const id = await acme.job(await archive())
  await acme.until(id, { status: 'COMPLETED', successCount: 2, errorCount: 2 })
  const rows = await acme.rows(id)
  expect(rows.map(({ status, errorCode }) => [status, errorCode])).toEqual([
    ['SUCCESS', null],
    ['ERROR', 'INVALID_FILE'],
    ['ERROR', 'INVALID_FILE'],
    ['SUCCESS', null],
  ])
  expect(rows[1]?.['errorMessage']).toContain('Eicar-Signature')
  const stored: string[] = []
  const { rows: files } = await db.pool.query<{ storage_key: string | null }>(
    'select storage_key from evidence.file_job_file where file_job_id = $1 order by name',
    [id],
  )
  for (const { storage_key: key } of files) stored.push(key === null ? 'none' : 'kept')
  expect(stored).toEqual(['kept', 'none'])
})

test('while the scanner is away nothing passes: the file waits, with an alert', async () => {
  await clamd.close()
  const id = await acme.job(
    await zip({ 'c.csv': 'case_id,evidence_files\nlate,a.pdf\n', 'a.pdf': pdf('z') }),
  )
  await acme.until(id, { status: 'PROCESSING', waitsFor: 'SCANNER', rowsRead: 0 })
  const alerts = async () =>
    (
      await db.pool.query<{ code: string; recovered: boolean }>(
        `select code, recovered_at is not null as recovered
           from posthorn.alert where source = 'evidence.scanner'`,
      )
    ).rows
  await expect.poll(alerts).toEqual([{ code: 'SCANNER_AWAY', recovered: false }])
  await clamd.listen(port)
  await acme.until(id, { status: 'COMPLETED', successCount: 1, waitsFor: null })
  await expect.poll(alerts).toEqual([{ code: 'SCANNER_AWAY', recovered: true }])
})
