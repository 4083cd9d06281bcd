import { spawn } from 'node:child_process'
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
