import process from 'node:process'
import { number } from '../words.ts'
import { ok, warn, type Finding } from './finding.ts'

/** Every connection of a client, an endpoint, a broker or the database takes one. */
const FEW_FILES = 1024

export function checkNode(version: string): Finding {
  const major = Number(version.split('.')[0])
  if (major % 2 === 0) return ok('node', version)
  return warn('node', `${version} is no long-term release`, 'use an even version in production')
}

/** How many files and connections this process may have open; Windows has no such limit. */
export function checkOpenFiles(limit: number | undefined = openFilesLimit()): Finding[] {
  if (limit === undefined) return []
  const says = `${number(limit)} at once`
  if (limit >= FEW_FILES) return [ok('open files', says)]
  const run = `ulimit -n 65536`
  return [warn('open files', says, { todo: 'raise the limit of the process', run })]
}

function openFilesLimit(): number | undefined {
  // Else it would ask the name server about every connection.
  Object.assign(process.report, { excludeNetwork: true })
  const found = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } }
  }
  const soft = found.userLimits?.open_files?.soft
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : soft
}
