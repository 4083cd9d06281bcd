import type { Options } from './options.ts'
import type { Server } from './postgres.ts'
import { benchMatching } from './reconcile-match.ts'
import { benchUploading } from './reconcile-upload.ts'
import type { Report } from './report.ts'

/** Loading a bank's file, and reconciling it with as many payments. */
export async function reconcile(server: Server, options: Options, report: Report): Promise<void> {
  await benchUploading(server, options, report)
  await benchMatching(server, options, report)
}
