import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is known of a service in `folder`: version, ports, and the pids that were started. */
export function readState(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Synchronous, and by rename: written right after a process is started, so that a starter killed
 * next still leaves a record of it, and never half a record.
 */
export function writeState(folder, state) {
  mkdirSync(folder, { recursive: true })
  const draft = join(folder, `state.json.${process.pid}`)
  writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`)
  renameSync(draft, join(folder, 'state.json'))
}
