import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server of the run. Something in its command line is in the run's folder: that marks it as ours. */
export interface ProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string
  readonly cwd: string
  /** What it calls itself, where its arguments do not name the folder. */
  readonly argv0?: string
  readonly uid?: number
  readonly gid?: number
}

export interface Program {
  kill(): Promise<void>
  stop(): Promise<void>
}

const STOP_MS = 30_000

export function startProgram(options: ProgramOptions): Program {
  const { command, args, env, logFile, cwd, argv0, uid, gid } = options
  const log = openSync(logFile, 'a')
  const child = spawn(command, args, {
    ...(argv0 !== undefined && { argv0 }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    cwd,
    // Of our own environment only what every program needs.
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', log, log],
    // Ctrl-C in the terminal is ours to answer: servers are ended in their order.
    detached: true,
  })
  closeSync(log)
  child.on('error', () => undefined)
  return {
    kill: () => end(child, 'SIGKILL'),
    async stop() {
      using _ = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await end(child, 'SIGTERM')
    },
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Ends everything whose command line names the folder: what programs of the run have started, too. */
export async function endAllIn(folder: string): Promise<void> {
  for (let found = pidsIn(folder); found.length > 0; found = pidsIn(folder)) {
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    await sleep(50)
  }
}

function pidsIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => commandLine(pid).includes(`${folder}/`))
    .map(Number)
}

/** Empty where the process is gone, or a zombie. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
