import type { Options } from './options.ts'
import type { Server } from './postgres.ts'
import { matching } from './reconcile-match.ts'
import { uploading } from './reconcile-upload.ts'
import type { Report } from './report.ts'

/** Loading a bank's file, and reconciling it with as many payments. */
export async function reconcile(server: Server, options: Options, report: Report): Promise<void> {
  await uploading(server, options, report)
  await matching(server, options, report)
}
