// Plain JavaScript without dependencies: set-up imports it, on any Node from 18 on.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const isWindows = process.platform === 'win32'

/** The Node that the packages bring along. */
export const node = join(root, 'node_modules/node/bin', isWindows ? 'node.exe' : 'node')

/** Aborted when a person or a supervisor asks this process to end; each main cleans up and leaves. */
export function untilInterrupted() {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => controller.abort())
  return controller.signal
}

/** Runs a program of node_modules at the root, its output shown as it comes. */
export async function showProgram(script, args, { env, signal } = {}) {
  const how = { env, signal, output: 'inherit' }
  return (await runCommand(process.execPath, [script, ...args], how)).status
}

/** The same, with its output returned. */
export function runProgram(script, args, { env, signal } = {}) {
  return runCommand(process.execPath, [script, ...args], { env, signal })
}

/**
 * Runs a command to its end, at the root unless `cwd` says otherwise. Returns its status and, unless it is
 * inherited, its output; a command that is not there has failed. `onStart` hears its pid.
 */
export async function runCommand(command, args, how = {}) {
  const { cwd = root, env = process.env, signal, output = 'pipe', onStart } = how
  // A script of the shell there.
  const shell = isWindows && command === 'npm'
  const stdio = ['ignore', output, output]
  const child = spawn(command, args, { cwd, env, signal, shell, stdio })
  if (child.pid !== undefined) onStart?.(child.pid)
  const said = []
  child.stdout?.on('data', (chunk) => said.push(String(chunk)))
  child.stderr?.on('data', (chunk) => said.push(String(chunk)))
  const status = await new Promise((resolve) => {
    child.once('error', ({ name, message }) => {
      if (name !== 'AbortError') resolve(said.push(message))
    })
    child.once('close', (code) => resolve(code ?? 1))
  })
  return { status, output: said.join('') }
}

/** Empty where there is no such file. */
export function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
