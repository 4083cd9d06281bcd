import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { checkNode, checkOpenFiles } from './machine.ts'

test('an odd version of Node is a warning', () => {
  expect(checkNode('24.1.0').level).toBe('ok')
  expect(checkNode('25.1.0')).toMatchObject({
    level: 'warn',
    says: '25.1.0 is no long-term release',
  })
})

test('a low limit of open files is found, as the process itself has it', async () => {
  const machine = fileURLToPath(new URL('./machine.ts', import.meta.url))
  const look = `import { checkOpenFiles } from '${machine}'; console.log(JSON.stringify(checkOpenFiles()))`
  const limited = `ulimit -n 512 && exec "$0" --input-type=module -e "$1"`
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, look])
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
