import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isHeld, printLedger, type Ledger } from './ledger.ts'

/** A program that breaks things and says by ledgers what held. */
export interface Proof {
  /** Its folder is `posthorn-<name>-…`, below that of temporary files. */
  readonly name: string
  /** Everything random follows from it. */
  readonly seed: number
  /** Longest run altogether, servers included. */
  readonly limitMs: number
  /** Leave the folder for a look. */
  readonly keep?: boolean
  run(stage: ProofStage): Promise<readonly Ledger[]>
}

/** What a proof is given. */
export interface ProofStage {
  /** Its own, for logs and other files: the end of every `.log` is printed where it did not hold. */
  readonly folder: string
  /** Aborted when it takes too long, and by Ctrl-C: the proof ends what it has started. */
  readonly signal: AbortSignal
}

/** Runs them one after another, and ends the process: with status 0 where all of them held. */
export async function runProofs(proofs: readonly Proof[]): Promise<never> {
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Each time: one that comes while servers are being ended must not end us before them.
    process.on(name, () => interrupted.abort(new Error(`stopped by ${name}`)))
  }
  // Dozens of processes of this code are started; compiled once, each starts in half the time.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
    new URL('../../node_modules/.cache/compiled', import.meta.url),
  )
  let hasFailed = false
  for (const proof of proofs) {
    const began = performance.now()
    const { held, error } = await runProof(proof, interrupted.signal)
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    const verdict = held ? 'held' : 'BROKEN'
    console.log(`\n${proof.name}: ${verdict} after ${seconds} s, seed ${proof.seed}`)
    // Last of all: logs of a check are often kept by their end alone.
    if (error !== undefined) console.log(error)
    hasFailed ||= !held
    if (interrupted.signal.aborted) break
  }
  process.exit(hasFailed ? 1 : 0)
}

/** Whether every promise held, and what kept it from coming to its end. */
async function runProof(
  { name, limitMs, keep = false, run }: Proof,
  interrupted: AbortSignal,
): Promise<{ held: boolean; error?: unknown }> {
  const folder = await mkdtemp(join(tmpdir(), `posthorn-${name}-`))
  const late = new AbortController()
  const limit = setTimeout(
    () => late.abort(new Error(`not over after ${limitMs / 1_000} s`)),
    limitMs,
  )
  let held = false
  try {
    const ledgers = await run({ folder, signal: AbortSignal.any([interrupted, late.signal]) })
    ledgers.forEach(printLedger)
    held = ledgers.every(isHeld)
    return { held }
  } catch (error) {
    return {
      held,
      error: error instanceof SuppressedError ? [error.suppressed, error.error] : error,
    }
  } finally {
    clearTimeout(limit)
    if (!held) await printLogs(folder).catch(() => undefined)
    if (keep) console.log(`\nkept for a look: ${folder}`)
    else await rm(folder, { recursive: true, force: true })
  }
}

/** Of each log. */
const LAST_LINES = 10

/** Prints the last words of every process of a run that failed. */
async function printLogs(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.log')) continue
    const text = await readFile(join(folder, name), 'utf8')
    const last = text.trim().split('\n').slice(-LAST_LINES)
    console.log(`\n${name}\n${last.map((line) => line.slice(0, 300)).join('\n')}`)
  }
}
