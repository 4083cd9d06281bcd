import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { checkNode, checkOpenFiles, checkOwnFolders } from './machine.ts'

test('an odd version of Node is a warning', () => {
  expect(checkNode('24.1.0').level).toBe('ok')
  expect(checkNode('25.1.0')).toMatchObject({
    level: 'warn',
    says: '25.1.0 is no long-term release',
  })
})

test('a low limit of open files is found, as the process itself has it', async () => {
  const machine = fileURLToPath(new URL('./machine.ts', import.meta.url))
  const program = `import { checkOpenFiles } from '${machine}'; console.log(JSON.stringify(checkOpenFiles()))`
  const limited = `ulimit -n 512 && exec "$0" --input-type=module -e "$1"`
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program])
  expect(JSON.parse(stdout)).toEqual([
    {
      check: 'open files',
      level: 'warn',
      says: '512 at once',
      todo: 'raise the limit of the process',
      run: 'ulimit -n 65536',
    },
  ])
  expect(checkOpenFiles(4096)).toMatchObject([{ level: 'ok', says: '4,096 at once' }])
})

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
  expect(await look({ SHOP_FOLDER: join(file, 'files') })).toMatchObject([
    { check: 'storage', level: 'fail', says: `${join(file, 'files')} cannot be written` },
  ])
})
