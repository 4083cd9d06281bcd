import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

// Ten times what the slowest of them takes on two cores.
const WITHIN_MS = 15 * 60_000

/** Runs a command to its end, quietly; what it said is in the error if it fails. */
export function run(command, args, { cwd, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: WITHIN_MS,
    })
    let said = ''
    const listen = (chunk) => (said += chunk)
    child.stdout.setEncoding('utf8').on('data', listen)
    child.stderr.setEncoding('utf8').on('data', listen)
    child.on('error', (error) => {
      reject(error.code === 'ENOENT' ? new Error(`${command} is not installed`) : error)
    })
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(said)
      const end = lastLines(said, 30)
      reject(new Error(`${command} ended with ${signal ?? code}:\n${end}`))
    })
  })
}

/** As `run`, for what goes over the network: three tries, since a registry may hiccup. */
export async function runWithRetries(command, args, options) {
  for (let tries = 1; ; tries++) {
    try {
      return await run(command, args, options)
    } catch (error) {
      if (tries === 3) throw error
      await sleep(tries * 2000)
    }
  }
}

export function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}

const LOG_LIMIT_BYTES = 5 * 1024 * 1024

/**
 * Starts a process that outlives this one and writes to `logFile`; answers with its pid.
 * `name` is what it calls itself in the process list, where that differs from the command.
 */
export async function startDetached(command, args, { name, cwd, env, logFile }) {
  const log = openSync(logFile, isLong(logFile) ? 'w' : 'a')
  try {
    const child = spawn(command, args, {
      argv0: name,
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', log, log],
    })
    if (child.pid === undefined) {
      const [error] = await once(child, 'error')
      throw error.code === 'ENOENT' ? new Error(`${command} is not installed`) : error
    }
    child.unref()
    return child.pid
  } finally {
    closeSync(log)
  }
}

function isLong(file) {
  return existsSync(file) && statSync(file).size > LOG_LIMIT_BYTES
}

/**
 * Whether the process is alive and was started by us: its command line names our folder. A pid
 * alone proves nothing, since the system gives it to another process in time; a zombie, which still
 * takes signals, has no command line. Nor has, for a moment, a start script that becomes its server.
 */
export function isOurs(pid, folder) {
  for (let looks = 1; ; looks += 1) {
    const line = commandLine(pid)
    if (line !== '' || looks === MOST_LOOKS || isGone(pid)) return line.includes(`${folder}/`)
    pauseBriefly()
  }
}

/** A kernel's own process, which has our pid by now, has no command line either. */
const MOST_LOOKS = 100

function pauseBriefly() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
}

function commandLine(pid) {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
}

/** Asks our process to end, and makes it end if it has not done so in time. */
export async function terminate(pid, folder) {
  // Kafka moves its leadership away and RabbitMQ syncs its queues first: seconds, never a minute.
  if (await waitForEnd(pid, folder, { signal: 'SIGTERM', withinMs: 30_000 })) return
  await kill(pid, folder)
}

/** Ends our process at once, as a crash would. */
export async function kill(pid, folder) {
  if (await waitForEnd(pid, folder, { signal: 'SIGKILL', withinMs: 10_000 })) return
  throw new Error(`Process ${pid} is still there after SIGKILL.`)
}

async function waitForEnd(pid, folder, { signal, withinMs }) {
  if (!isOurs(pid, folder)) return true
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
  return waitUntil(() => isGone(pid), { withinMs })
}

/**
 * Whether nothing of it is left but perhaps its exit status. A dying process loses its command
 * line first and its ports later, so `isOurs` would say too early that they are free.
 */
function isGone(pid) {
  try {
    process.kill(pid, 0)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch (error) {
    // On a system without /proc the signal has just been taken by a living process.
    return error.code === 'ESRCH' || existsSync('/proc/self')
  }
}

/** Waits until `check` answers with something true; answers with false once time is up. */
export async function waitUntil(check, { withinMs }) {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(100)) {
    if (await check()) return true
  }
  return false
}
