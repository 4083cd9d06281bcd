import { fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** What a process has in hand. */
export interface Usage {
  /** After a full collection of garbage. */
  readonly heapBytes: number
  /** Of the whole process, as the system counts it. */
  readonly residentBytes: number
  readonly openFiles: number
  /** Timers, sockets and requests that keep the process alive. */
  readonly resources: number
}

/** What a child says to us. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'lost'; readonly claims: number }
  | ({ readonly kind: 'usage' } & Usage)

export interface Child {
  readonly name: string
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  /** Resolves when it says that it works; also when it ends before. */
  readonly ready: Promise<void>
  /** Its exit status, or 137 for SIGKILL, as a shell has it. */
  readonly ended: Promise<number>
  /** `kill -9`. */
  kill(): Promise<number>
  /** SIGSTOP: it does nothing, and its connections stay open, until `resume`. */
  suspend(): void
  resume(): void
  /** What it has in hand now; undefined if it ends before it has said so. */
  measure(): Promise<Usage | undefined>
  /** Asks it to end in good order; kills it if it does not. */
  stop(): Promise<number>
}

export interface ChildOptions {
  readonly name: string
  /** Where its log goes, `<name>.log`. */
  readonly folder: string
  readonly settings: object
  /** Of Node, beside those that measuring needs. */
  readonly flags?: readonly string[]
  /** In a group of its own: what a terminal or a supervisor sends to all of ours does not reach it. */
  readonly isDetached?: boolean
  readonly onReport?: (report: Report) => void
}

/** A process of the server, with the roles of its environment. */
export const SERVER_PROCESS = new URL('./server-process.ts', import.meta.url)

/** Those that the image starts the server with: its memory is judged as it is in production. */
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=50']

/** Long enough for a busy machine: what is killed leaves its claims behind. */
const STOP_MS = 120_000
const KILLED = 137

/** Starts a program; it ends when this process does, however that ends. */
export function startChild(program: URL, options: ChildOptions): Child {
  const { name, folder, settings, flags = [], isDetached = false, onReport } = options
  const log = openSync(join(folder, `${name.replace(/\.\d+$/, '')}.log`), 'a')
  const child = fork(program, [JSON.stringify({ name, ...settings })], {
    stdio: ['ignore', log, log, 'ipc'],
    execArgv: ['--expose-gc', ...flags],
    detached: isDetached,
  })
  closeSync(log)
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<number>()
  let measured = Promise.withResolvers<Usage>()
  child.on('message', (report: Report) => {
    if (report.kind === 'ready') ready.resolve()
    if (report.kind === 'usage') measured.resolve(report)
    onReport?.(report)
  })
  child.once('error', () => ended.resolve(1))
  child.once('exit', (status) => ended.resolve(status ?? KILLED))
  void ended.promise.then(() => ready.resolve())
  const kill = () => {
    child.kill('SIGKILL')
    return ended.promise
  }
  return {
    name,
    pid: child.pid,
    ready: ready.promise,
    ended: ended.promise,
    kill,
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    measure() {
      measured = Promise.withResolvers<Usage>()
      child.send('measure', () => undefined)
      return Promise.race([measured.promise, ended.promise.then(() => undefined)])
    },
    async stop() {
      // Gone already, or going: the answer is its end.
      child.send('stop', () => undefined)
      using _ = setTimeout(() => void kill(), STOP_MS)
      return await ended.promise
    },
  }
}
