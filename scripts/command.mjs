import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Aborted when a person or a supervisor asks this process to end; each main cleans up and leaves. */
export function untilInterrupted() {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => controller.abort())
  return controller.signal
}

/** Runs a program of node_modules at the root, its output shown as it comes. */
export function showProgram(script, args, { env, signal } = {}) {
  return finish(start([script, ...args], { env, signal, output: 'inherit' }))
}

/** The same, with its output returned. */
export async function runProgram(script, args, { env, signal } = {}) {
  const child = start([script, ...args], { env, signal, output: 'pipe' })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const status = await finish(child)
  return { status, output: Buffer.concat(output).toString() }
}

function start(args, { env = process.env, signal, output }) {
  const stdio = ['ignore', output, output]
  return spawn(process.execPath, args, { cwd: root, env, signal, stdio })
}

function finish(child) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => (error.name === 'AbortError' ? undefined : reject(error)))
    child.once('close', (status) => resolve(status ?? 1))
  })
}
