import { toMessage, uuid } from '@posthorn/engine'
import { SetAsideStore } from '@posthorn/engine/internal'
import { listDeadLetters, searchAudit } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeEach, expect, test } from 'vitest'
import { SHOP, posthornHere } from '../testing/posthorn.ts'

const { url, pool } = await testDatabase()
const env = { DATABASE_URL: url, POSTHORN_CONFIG: SHOP, POSTHORN_OPERATOR: 'ada' }
const run = (...args: string[]) => posthornHere(['dead-letters', ...args], env)
const store = new SetAsideStore(pool, { topic: 'shop.events', group: 'mails' })

beforeEach(async () => {
  await pool.query('delete from posthorn.consumer_message')
  for (const [n, code] of ['MAILBOX_FULL', 'NO_SUCH_USER'].entries()) {
    const message = toMessage({ id: uuid(), type: 'mail', key: `k${n}`, payload: { n } })
    const failure = { code, message: 'the server\nsaid no' }
    await store.bury({ id: message.id, message }, { attempts: 7, failure })
  }
})

test('lists and shows dead letters', async () => {
  const { code, stdout } = await run('--group', 'mails')
  expect(code).toBe(0)
  expect(stdout).toMatch(/dead +mails +mail +k1 +7 +NO_SUCH_USER: the server said no/)
  const one = await run('--code', 'MAILBOX_FULL', '--json')
  const { items } = JSON.parse(one.stdout) as { items: { id: string }[] }
  expect(items).toMatchObject([{ group: 'mails', code: 'MAILBOX_FULL', payload: { n: 0 } }])
  const shown = await run('--show', items[0]?.id ?? '')
  expect(JSON.parse(shown.stdout)).toMatchObject({ key: 'k0', attempts: 7, state: 'dead' })
  expect(await run('--show', '0')).toMatchObject({ code: 1 })
  expect((await run('--group', 'others')).stderr).toContain('nothing is set aside')
})

test('replays and drops the chosen dead letters, in the name of the operator', async () => {
  const replayed = await run('--code', 'MAILBOX_FULL', '--replay', '--reason', 'T-481', '--yes')
  expect(replayed).toMatchObject({ code: 0, stdout: '1 dead letter replayed\n' })
  const dropped = await run('--drop', '--yes', '--json')
  expect(JSON.parse(dropped.stdout)).toMatchObject({ matched: 1, dropped: 1 })
  const { items } = await listDeadLetters(pool)
  expect(items).toMatchObject([{ state: 'retry', attempts: 0, code: 'MAILBOX_FULL' }])
  const audit = await searchAudit(pool, { kind: 'operation', actor: 'cli:ada' })
  expect(audit.items.slice(0, 2)).toMatchObject([
    { operation: 'drop', outbox: 'shop.events/mails' },
    { operation: 'replay', reason: 'T-481' },
  ])
})
