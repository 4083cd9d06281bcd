import { AS_STARTED, startChild, type Child } from '../../../bench/kit/child.ts'
import { upload, type Serving } from '../../../bench/kit/serving.ts'
import type { EvidenceOrder } from './half-process.ts'

export interface Usage {
  /** The most memory the process had. */
  readonly peakMb: number
  readonly cpuUs: number
}

/** The system in a process of its own; publishing begins when it is told `publish`. */
export type EvidenceChild = Child<Serving>

export function startEvidence(order: EvidenceOrder): Promise<EvidenceChild> {
  const script = new URL('half-process.ts', import.meta.url)
  return startChild<Serving>(script, [JSON.stringify(order)], { flags: AS_STARTED })
}

/** Uploads a ZIP; the id of its job. */
export async function uploadZip({ said }: EvidenceChild, file: string): Promise<string> {
  const sent = { file, type: 'application/zip', status: 202 }
  return (await upload<{ fileJobId: string }>(said, sent)).fileJobId
}
