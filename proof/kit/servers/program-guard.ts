import { chmod } from 'node:fs/promises'
import { startChild } from '../processes/child.ts'
import type { ProofStage } from '../proof-run.ts'
import { endAllIn } from './program.ts'

/**
 * Runs what starts servers of its own: all that is left of them ends with it, also if it is killed or
 * takes too long. Their account may look into the folder.
 */
export async function guarded<Result>(
  { folder, signal }: ProofStage,
  run: () => Promise<Result>,
): Promise<Result> {
  // A temporary folder is closed even to the account that runs the servers.
  await chmod(folder, 0o755)
  const guard = startChild(new URL('./guard-process.ts', import.meta.url), {
    ...{ name: 'guard', folder, settings: { folder }, isDetached: true },
  })
  // What waits for a server that was cut off waits no longer.
  signal.addEventListener('abort', () => void endAllIn(folder))
  try {
    return await run()
  } finally {
    await endAllIn(folder)
    await guard.stop()
  }
}
