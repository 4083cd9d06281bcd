import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withLock } from './lock.ts'
import { processMark } from './postmaster.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-lock-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('lets one in at a time', async () => {
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await sleep(2)
    inside -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => withLock(folder, work)))
  expect(most).toBe(1)
})

test('is free again after work that failed', async () => {
  const failing = withLock(folder, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await withLock(folder, () => Promise.resolve('in'))).toBe('in')
})

test('passes over what a dead process left, and keeps one ticket', async () => {
  await writeFile(join(folder, '7'), '4194304 1')
  await writeFile(join(folder, 'draft-x'), '4194304 1')
  expect(await withLock(folder, () => readdir(folder))).toEqual(['8'])
})

test('does not take another process with the same pid for the holder', async () => {
  await writeFile(join(folder, '1'), `${process.pid} 1`)
  expect(await withLock(folder, () => readdir(folder))).toEqual(['2'])
})

test('waits for a living holder', async () => {
  await writeFile(join(folder, '1'), processMark(process.pid))
  const order: string[] = []
  const waiting = withLock(folder, async () => void order.push('second'))
  await sleep(100)
  order.push('first')
  await writeFile(join(folder, '1'), '')
  await waiting
  expect(order).toEqual(['first', 'second'])
})
