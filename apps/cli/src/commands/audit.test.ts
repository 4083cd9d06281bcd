import { transaction } from '@posthorn/engine'
import { pause } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { SHOP, posthornHere } from '../testing/posthorn.ts'

const { url, pool } = await testDatabase()
const env = { DATABASE_URL: url, POSTHORN_CONFIG: SHOP }
const verify = (...args: string[]) => posthornHere(['audit', 'verify', ...args], env)

test('names each row that differs from its seal', async () => {
  await transaction(pool, (tx) => pause(tx, { name: 'shop.events' }, { by: 'ada' }))
  const first = await verify()
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('1 rows match') })
  const [, head = ''] = /^head ([0-9a-f]{64})$/m.exec(first.stdout) ?? []
  expect(await verify('--head', head)).toMatchObject({ code: 0 })
  expect(await verify('--head', 'f'.repeat(64))).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('does not have the given head'),
  })
  expect(await verify('--head', 'nonsense')).toMatchObject({ code: 2 })
  await pool.query(
    "begin; set local session_replication_role = replica; update posthorn.operation set operation = 'resume'; commit",
  )
  const { code, stdout } = await verify()
  expect({ code, stdout }).toEqual({
    code: 3,
    stdout: expect.stringMatching(/^posthorn\.operation row \d+ was changed after it was sealed/),
  })
  const asJson = JSON.parse((await verify('--json')).stdout)
  expect(asJson).toMatchObject({ findings: [{ kind: 'changed', audit: 'posthorn.operation' }] })
})
