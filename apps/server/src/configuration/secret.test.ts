import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { developmentSecret } from './secret.ts'

test('is made once, also by many at once, and for its owner alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-secret-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const inside = join(folder, 'new')
  const secrets = await Promise.all(
    Array.from({ length: 20 }, () => developmentSecret(inside, 'jwt-secret')),
  )
  expect(new Set(secrets).size).toBe(1)
  expect(secrets[0]).toMatch(/^[\w-]{43}$/)
  expect(await readdir(inside)).toEqual(['jwt-secret'])
  expect((await stat(join(inside, 'jwt-secret'))).mode & 0o777).toBe(0o600)
})
