import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOurs, kill, startDetached } from './process.mjs'

const LOOKS = 2_000

test('a process is ours all the while that it becomes another program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-process-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const script = join(folder, 'again')
  await writeFile(script, '#!/bin/sh\nexec "$0" "$@"\n', { mode: 0o755 })
  const pid = await startDetached(script, [], { cwd: folder, logFile: join(folder, 'log') })
  const looks = Array.from({ length: LOOKS }, () => isOurs(pid, folder))
  await kill(pid, folder)
  expect(looks.filter((isFound) => !isFound)).toEqual([])
  expect(isOurs(pid, folder)).toBe(false)
})

test('a process of another folder is not ours', () => {
  expect(isOurs(process.pid, '/nowhere/of/ours')).toBe(false)
})
