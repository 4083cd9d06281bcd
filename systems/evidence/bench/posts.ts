import { randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import { evidenceContent } from './file.ts'

const CALLS = 32
const FILE = 'invoice.pdf'
const CONTENT = evidenceContent(FILE)

/** Posts so many requests and does nothing else; milliseconds for all. */
export async function postDocuments(url: string, count: number): Promise<number> {
  const agent = new Agent({ connections: CALLS })
  let next = 0
  const lane = async () => {
    for (let at = next++; at < count; at = next++) {
      const response = await request(`${url}/attach-evidence`, postOf(agent, at))
      if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`)
      await response.body.text()
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: CALLS }, lane))
  const ms = performance.now() - begun
  await agent.close()
  return ms
}

function postOf(dispatcher: Agent, at: number) {
  const boundary = `bare-${randomUUID()}`
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n`
  const body = Buffer.concat([
    Buffer.from(
      `${part('name="case_id"')}\r\ncase-${at}\r\n${part(`name="files"; filename="${FILE}"`)}Content-Type: application/pdf\r\n\r\n`,
    ),
    CONTENT,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const headers = {
    'idempotency-key': randomUUID(),
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(body.length),
  }
  return { dispatcher, method: 'POST' as const, headers, body }
}
