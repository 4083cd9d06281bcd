import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const program = fileURLToPath(new URL('testing/proof-process.ts', import.meta.url))

/** Command lines of the processes that belong to these folders. */
async function processesOf(folders: readonly string[]): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter((line) => folders.some((folder) => line.includes(folder)))
}

/** A proof that has started its servers, and where they are. */
async function startProof(): Promise<{ child: ChildProcess; folders: readonly string[] }> {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for await (const chunk of child.stdout) {
    said += String(chunk)
    const folders = /^started (.+)$/m.exec(said)?.[1]
    if (folders !== undefined) return { child, folders: JSON.parse(folders) as string[] }
  }
  throw new Error(`the proof did not start: ${said}`)
}

test('signals, one soon after the other, leave no server behind', async () => {
  const { child, folders } = await startProof()
  expect((await processesOf(folders)).join()).toContain('versitygw')
  const ended = once(child, 'exit')
  // At least one comes while its servers are being ended, however busy the machine is.
  child.kill('SIGTERM')
  const again = setInterval(() => child.kill('SIGTERM'), 20)
  await ended
  clearInterval(again)
  // The guard may be at it still.
  await expect.poll(() => processesOf(folders), { timeout: 60_000 }).toEqual([])
})

test('a proof that is killed leaves no server behind', async () => {
  const { child, folders } = await startProof()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  await expect.poll(() => processesOf(folders), { timeout: 60_000 }).toEqual([])
})
