import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkOwnFolders } from './folders.ts'

const settings = { type: 'object', properties: { SHOP_FOLDER: {}, SHOP_NAME: {} }, required: [] }
const systems = [{ name: 'shop', settings }] as never

function look(values: Record<string, unknown>) {
  return checkOwnFolders({ settings: { shop: values } }, systems)
}

test("a system's folder is looked at, also one that is still to be made", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-storage-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const later = join(folder, 'a', 'b')
  expect(await look({ SHOP_FOLDER: later, SHOP_NAME: '/nowhere' })).toMatchObject([
    { check: 'storage', level: 'ok', says: later },
    { check: 'disk', says: expect.stringMatching(/^[\d,]+ MiB free$/) },
  ])
  expect(await look({ SHOP_NAME: '/nowhere' })).toEqual([])
})

test('one that cannot be written fails', async () => {
  // Rights do not stop root; no directory below a file stops everybody.
  const file = join(await mkdtemp(join(tmpdir(), 'posthorn-storage-')), 'file')
  await writeFile(file, '', { mode: 0o400 })
  onTestFinished(() => rm(file))
  expect(await look({ SHOP_FOLDER: join(file, 'evidence') })).toMatchObject([
    { check: 'storage', level: 'fail', says: `${join(file, 'evidence')} cannot be written` },
  ])
})
