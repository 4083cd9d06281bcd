import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process that a test started; it is dead after the test at the latest. */
export interface TestChild {
  readonly pid: number
  /** The first line that it wrote: its address, or the point that it reached. */
  readonly line: string
  /** As `kill -9`: nothing of it gets a chance to clean up. */
  kill(): Promise<void>
  /** Stops it, connections and all, until `resume`. */
  suspend(): void
  resume(): void
  /** Sends it a message and returns the answer. */
  ask<Answer>(question: string): Promise<Answer>
}

export interface TestChildOptions {
  /** All that it sees of an environment, beside `PATH` and where compiled sources are. */
  readonly env: Readonly<Record<string, string>>
  /** It is killed after this long. Default: only at the end of the test. */
  readonly timeoutMs?: number
}

/** Runs a TypeScript or JavaScript file; resolves once it has written its first line. */
export async function startTestChild(script: URL, options: TestChildOptions): Promise<TestChild> {
  const { env, timeoutMs } = options
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [fileURLToPath(script)], {
    env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    killSignal: 'SIGKILL',
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  const { stdout } = child
  if (!stdout) throw new TypeError('the process has no output')
  const written = once(stdout, 'data').then(([chunk]) => String(chunk).trim())
  const line = await Promise.race([written, exited.then(() => undefined)])
  if (line === undefined) throw new Error(`${script.pathname} ended before it wrote a line`)
  return {
    pid: child.pid ?? 0,
    line,
    kill,
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async ask<Answer>(question: string) {
      const answered = once(child, 'message')
      child.send(question)
      const [answer] = (await answered) as [Answer]
      return answer
    },
  }
}

/** Runs a file until it writes that it has reached the point, which it knows as `CRASH_AT`; kills it there. */
export async function killAtPoint(
  script: URL,
  point: string,
  { env, timeoutMs = 60_000 }: TestChildOptions,
): Promise<void> {
  const child = await startTestChild(script, { env: { ...env, CRASH_AT: point }, timeoutMs })
  await child.kill()
}

/**
 * The kill points that are tested: all of them in the full proof (`PROOF=full`), otherwise those
 * that stand for the others, by their names.
 */
export function killPoints<Point>(
  points: readonly Point[],
  { named, short }: { named(point: Point): string; short: readonly string[] },
): readonly Point[] {
  const names = new Set(points.map(named))
  const unknown = short.filter((name) => !names.has(name))
  if (unknown.length > 0) throw new TypeError(`no kill points: ${unknown.join(', ')}`)
  return process.env['PROOF'] === 'full'
    ? points
    : points.filter((point) => short.includes(named(point)))
}

/**
 * Runs JavaScript in a process of its own until it writes something, then kills it as `kill -9`
 * does: nothing of it gets a chance to clean up.
 */
export async function runUntilKilled(script: string, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const wrote = once(child.stdout, 'data').then(() => true)
  const ended = exited.then(() => false)
  if (!(await Promise.race([wrote, ended]))) throw new Error('the process ended by itself')
  child.kill('SIGKILL')
  await exited
}
