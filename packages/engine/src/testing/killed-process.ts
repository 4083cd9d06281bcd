import { spawn } from 'node:child_process'
import { once } from 'node:events'

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
