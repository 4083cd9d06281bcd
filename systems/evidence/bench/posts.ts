import { randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import { evidenceContent } from './file.ts'

/** Calls at once, as the system has them. */
export const CALLS = 32

const CONTENTS = new Map<string, Buffer>()

/** Each file's bytes once, as the system reads those of a poll. */
function contentOf(filename: string): Buffer {
  const known = CONTENTS.get(filename) ?? evidenceContent(filename)
  CONTENTS.set(filename, known)
  return known
}

interface Post {
  readonly key: string
  readonly caseId: string
  readonly filename: string
}

/** Posts a file to the document API. */
export function postDocument(
  dispatcher: Agent,
  documentsUrl: string,
  { key, caseId, filename }: Post,
) {
  const boundary = `bare-${randomUUID()}`
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n`
  const body = Buffer.concat([
    Buffer.from(
      `${part('name="case_id"')}\r\n${caseId}\r\n${part(`name="files"; filename="${filename}"`)}Content-Type: application/pdf\r\n\r\n`,
    ),
    contentOf(filename),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const headers = {
    'idempotency-key': key,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(body.length),
  }
  return request(`${documentsUrl}/attach-evidence`, { dispatcher, method: 'POST', headers, body })
}

/** Does so many things, as many at once as there may be calls. */
export async function inLanes(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let at = next++; at < count; at = next++) await work(at)
  }
  await Promise.all(Array.from({ length: CALLS }, lane))
}

/** Posts so many requests and does nothing else; milliseconds for all. */
export async function postDocuments(url: string, count: number): Promise<number> {
  const agent = new Agent({ connections: CALLS })
  const begun = performance.now()
  await inLanes(count, async (at) => {
    const post = { key: randomUUID(), caseId: `case-${at}`, filename: 'invoice.pdf' }
    const response = await postDocument(agent, url, post)
    if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`)
    await response.body.text()
  })
  const ms = performance.now() - begun
  await agent.close()
  return ms
}
