import { fileURLToPath } from 'node:url'
import { enqueue, keyRing, transaction } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { checkKeys } from '../doctor/engine.ts'
import { posthornHere } from '../testing/posthorn.ts'
import { vaultLetters, vaultMigrations } from '../testing/vault.ts'

const { url, pool } = await testDatabase({ migrations: [await vaultMigrations()] })
const VAULT = fileURLToPath(new URL('../testing/vault.ts', import.meta.url))
const [first, next] = ['a'.repeat(32), 'b'.repeat(32)] as const
const call = (keys: string, ...args: string[]) =>
  posthornHere(args, {
    ...{ DATABASE_URL: url, POSTHORN_CONFIG: VAULT, POSTHORN_ENCRYPTION_KEYS: keys },
  })
const letters = vaultLetters(keyRing([first]))
const write = (org: string) =>
  transaction(pool, (tx) => enqueue(tx, letters, { org_id: org, payload: { to: 'Ms Secret' } }))

test('a master key is changed, and one that is missing is named', async () => {
  await write('acme')
  expect(await call(next, 'keys', 'list')).toMatchObject({
    ...{ code: 3, stdout: expect.stringContaining('CANNOT BE USED HERE') },
  })
  expect(await checkKeys(pool, [vaultLetters(keyRing([next]))])).toMatchObject([
    { check: 'encryption', level: 'fail', says: expect.stringContaining('no master key') },
  ])
  expect(await call(`${next},${first}`, 'keys', 'rewrap', '--json')).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('"rewrapped": 1') },
  })
  expect(await call(next, 'keys', 'list')).toMatchObject({ code: 0 })
  expect(await checkKeys(pool, [vaultLetters(keyRing([next]))])).toMatchObject([{ level: 'ok' }])
  expect(await call(next, 'keys', 'rotate', '--tenant', 'acme')).toMatchObject({ code: 0 })
  await call(`${first},${next}`, 'keys', 'rewrap')
})

test('a payload is shown to those who say why, and not once it is shredded', async () => {
  const { id } = await write('gone')
  const show = (...args: string[]) => call(first, 'message', 'vault.letters', id, ...args)
  expect((await show()).stdout).toContain('(encrypted)')
  expect(await show('--reveal')).toMatchObject({ code: 2 })
  const revealed = await show('--reveal', '--reason', 'a complaint', '--by', 'ada')
  expect(revealed.stdout).toContain('Ms Secret')
  expect(await call(first, 'keys', 'shred', '--tenant', 'gone')).toMatchObject({ code: 2 })
  const shred = await call(first, 'keys', 'shred', '--tenant', 'gone', '--reason', 'left')
  expect(shred).toMatchObject({ code: 0, stdout: '1 data key of gone destroyed\n' })
  expect((await show('--reveal', '--reason', 'once more')).stdout).toContain('(erased)')
})
