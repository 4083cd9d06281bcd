import { expect, test } from 'vitest'
import { transaction } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { sealAudits, verifyAudits } from './audit-verification.ts'
import { pause } from '@posthorn/engine/internal'

const { pool } = await testDatabase()

/** As a superuser who has switched the triggers off. */
async function tamper(statement: string): Promise<void> {
  await pool.query(`begin; set local session_replication_role = replica; ${statement}; commit`)
}

async function note(subject: string): Promise<string> {
  await transaction(pool, (tx) => pause(tx, { name: subject }, { by: 'ada', reason: 'tea' }))
  const { rows } = await pool.query('select max(id)::text as id from posthorn.operation')
  return rows[0].id
}

async function findings(): Promise<(string | undefined)[][]> {
  return (await verifyAudits(pool)).findings.map(({ kind, seq }) => [kind, seq])
}

test('rows of an audit are only added', async () => {
  await note('first')
  for (const statement of [
    "update posthorn.operation set actor = 'eve'",
    'delete from posthorn.operation',
    'truncate posthorn.operation',
  ]) {
    await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  }
})

test('a changed, a missing and an inserted row are found, and where', async () => {
  const [one, two] = [await note('a'), await note('b')]
  expect(await sealAudits(pool)).toBeGreaterThan(1)
  expect(await findings()).toEqual([])
  await tamper(`update posthorn.operation set subject = 'x' where id = ${one}`)
  await tamper(`delete from posthorn.operation where id = ${two}`)
  await tamper(
    `insert into posthorn.operation (id, operation, subject, actor) values (-5, 'pause', 'x', 'eve')`,
  )
  await note('d')
  await sealAudits(pool)
  expect(await findings()).toEqual([
    ['changed', one],
    ['missing', two],
    ['inserted', '-5'],
  ])
  // Put back, it is as it was: the times and the salt are part of it.
  await tamper(`update posthorn.operation set subject = 'a' where id = ${one}`)
  await tamper('delete from posthorn.operation where id = -5')
  expect(await findings()).toEqual([['missing', two]])
})

test('the chain goes on past its ninth seal, and is verified in its order', async () => {
  for (let count = 0; count < 12; count += 1) {
    await note(`seal ${count}`)
    expect(await sealAudits(pool)).toBeGreaterThan(0)
  }
  const { findings: found, seals, unsealed } = await verifyAudits(pool)
  expect(seals).toBeGreaterThan(10)
  expect(unsealed).toEqual([])
  expect(found.filter(({ kind }) => kind.startsWith('seal-'))).toEqual([])
})

test('a seal that was changed or taken away is found, and a rewritten chain by a head kept elsewhere', async () => {
  await note('e')
  await sealAudits(pool)
  const { head, seals } = await verifyAudits(pool)
  const kindsAfter = async (statement: string) => {
    await pool.query('create table kept_seal as table posthorn.audit_seal')
    await tamper(statement)
    const kinds = (await findings()).map(([kind]) => kind)
    await tamper(
      'delete from posthorn.audit_seal; insert into posthorn.audit_seal table kept_seal; drop table kept_seal',
    )
    return kinds
  }
  expect(
    await kindsAfter('update posthorn.audit_seal set upto_seq = upto_seq + 1 where id = 1'),
  ).toContain('seal-changed')
  expect(await kindsAfter('delete from posthorn.audit_seal where id = 2')).toContain('seal-missing')
  await note('f')
  await sealAudits(pool)
  expect((await verifyAudits(pool, { head })).findings.map(({ kind }) => kind)).not.toContain(
    'head-missing',
  )
  const cut = `delete from posthorn.audit_seal where id >= ${seals}`
  await tamper(`create table rest as table posthorn.audit_seal; ${cut}`)
  const { findings: found } = await verifyAudits(pool, { head })
  expect(found.map(({ kind }) => kind)).toContain('head-missing')
  await tamper(
    'delete from posthorn.audit_seal; insert into posthorn.audit_seal table rest; drop table rest',
  )
})

test('retention removes sealed rows and erases persons, and the seals still hold', async () => {
  const [old, known] = [await note('old'), await note('known')]
  await sealAudits(pool)
  const before = (await verifyAudits(pool)).findings.length
  const call = async (name: string, seqs: unknown[]) => {
    const statement = `select posthorn.${name}('posthorn.operation', $1::bigint[], 'retention', 'old')`
    const { rows } = await pool.query(statement, [seqs])
    return rows[0][name]
  }
  expect(await call('remove_audit', [old])).toBe(1)
  expect(await call('erase_audit', [known])).toBe(1)
  const unsealed = await note('unsealed')
  expect(await call('remove_audit', [unsealed])).toBe(0)
  const { rows } = await pool.query(
    'select actor, reason, audit_salt from posthorn.operation where id = $1',
    [known],
  )
  expect(rows).toEqual([{ actor: 'erased', reason: 'erased', audit_salt: null }])
  await sealAudits(pool)
  const after = await verifyAudits(pool)
  expect(after).toMatchObject({ removed: 1, unsealed: [] })
  expect(after.findings).toHaveLength(before)
  // What was left of the erased row is still covered.
  await tamper(`update posthorn.operation set subject = 'y' where id = ${known}`)
  expect(await findings()).toContainEqual(['changed', known])
})

test('a row whose transaction is open is waited for, and nobody waits for the sealing', async () => {
  const client = await pool.connect()
  await client.query('begin')
  const { rows } = await client.query(
    `insert into posthorn.operation (operation, subject, actor) values ('pause', 'slow', 'ada') returning id::text`,
  )
  const later = await note('quick')
  expect(BigInt(later)).toBeGreaterThan(BigInt(rows[0].id))
  const sealing = sealAudits(pool)
  await note('meanwhile')
  await client.query('commit')
  client.release()
  await sealing
  await sealAudits(pool)
  expect(await findings()).not.toContainEqual(['inserted', rows[0].id])
  expect((await verifyAudits(pool)).unsealed).toEqual([])
})
