import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { AS_STARTED } from '../../../bench/kit/harness.ts'
import type { Serving } from '../../../bench/kit/serving.ts'
import type { EvidenceOrder } from './half-process.ts'

export interface Usage {
  /** The most memory the process had. */
  readonly peakMb: number
  readonly cpuUs: number
}

/** The system in a process of its own. */
export interface EvidenceChild {
  /** Uploads a ZIP; the id of its job. */
  upload(zip: string): Promise<string>
  publish(): void
  usage(): Promise<Usage>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startEvidence(order: EvidenceOrder): Promise<EvidenceChild> {
  const child = fork(new URL('half-process.ts', import.meta.url), [JSON.stringify(order)], {
    execArgv: AS_STARTED,
  })
  const exited = once(child, 'exit')
  const said = once(child, 'message').then(([serving]) => serving as Serving)
  const serving = await Promise.race([said, exited.then(() => undefined)])
  if (!serving) throw new Error('the process of evidence ended by itself')
  return {
    async upload(zip) {
      const response = await fetch(`${serving.url}?filename=cases.zip`, {
        method: 'POST',
        headers: { authorization: `Bearer ${serving.token}`, 'content-type': 'application/zip' },
        body: Readable.toWeb(createReadStream(zip)) as BodyInit,
        duplex: 'half',
      } as RequestInit)
      const text = await response.text()
      if (response.status !== 202) throw new Error(`the upload failed: ${response.status} ${text}`)
      return (JSON.parse(text) as { fileJobId: string }).fileJobId
    },
    publish: () => void child.send('publish'),
    async usage() {
      const answer = once(child, 'message')
      child.send('usage')
      return ((await answer) as [Usage])[0]
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
