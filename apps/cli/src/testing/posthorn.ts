import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { run } from '../main.ts'
import { terminalOf, type Terminal } from '../terminal/terminal.ts'

const BIN = fileURLToPath(new URL('../../bin/posthorn.mjs', import.meta.url))

/** The configuration module of the shop, for POSTHORN_CONFIG. */
export const SHOP = fileURLToPath(new URL('./shop.ts', import.meta.url))

/** A command that hangs is ended after this long. */
const LIMIT_MS = 120_000

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** What it has printed so far. */
  stdout(): string
  stderr(): string
}

/** Starts the real binary; nothing of the caller's own settings gets in. */
export function startPosthorn(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd: string = process.cwd(),
): Running {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended, stdout: () => stdout, stderr: () => stderr }
}

export function posthorn(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return startPosthorn(args, env).ended
}

/** The same in this process, which saves loading everything again: for what no process has part in. */
export async function posthornHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const [stdout, stderr] = [paper(), paper()]
  const host = {
    ...{ env, stdin: { isTTY: false }, stdout: stdout.stream, stderr: stderr.stream },
    on: () => undefined,
  }
  const terminal: Terminal = {
    ...terminalOf(host as unknown as NodeJS.Process),
    paint: (_, text) => text,
  }
  const code = await run(terminal, args)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function paper(): { stream: NodeJS.WriteStream; text(): string } {
  let written = ''
  const write = (text: string) => ((written += text), true)
  return { stream: { isTTY: false, write } as unknown as NodeJS.WriteStream, text: () => written }
}
