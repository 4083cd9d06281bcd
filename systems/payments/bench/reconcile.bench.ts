import type { Options } from '../../../bench/kit/options.ts'
import type { Server } from '../../../bench/kit/postgres.ts'
import { benchMatching } from './reconcile-match.ts'
import { benchUploading } from './reconcile-upload.ts'
import type { Report } from '../../../bench/kit/report.ts'

/** Loading a bank's file, and reconciling it with as many payments. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  await benchUploading(server, options, report)
  await benchMatching(server, options, report)
}
