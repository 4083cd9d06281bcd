import { migrate } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { messages } from './index.ts'

const all = await messages.migrations()
const before = {
  name: all.name,
  migrations: all.migrations.filter(({ id }) => id < '0010'),
}
const { pool } = await testDatabase({ migrations: [before] })

test('dossiers, consents and messages of before the new key are kept, with their organisation', async () => {
  await pool.query(`
    insert into messages.dossier (id, org_id) values ('1001', 'acme'), ('1002', 'umbrella');
    insert into messages.consent (dossier_id, channel, granted, updated_at)
    values ('1001', 'whatsapp', true, '2026-01-01Z'), ('1002', 'email', false, '2026-01-02Z');
    insert into messages.outbound_message
           (id, org_id, dossier_id, channel, to_recipient, template_code, payload_json, status,
            idempotency_key, request_fingerprint)
    values ('00000000-0000-7000-8000-000000000001', 'acme', '1001', 'whatsapp', '+1', 't', '{}',
            'QUEUED', 'k', 'f');
    insert into messages.outbound_attempt (id, outbound_message_id, attempt_no, status)
    values (gen_random_uuid(), '00000000-0000-7000-8000-000000000001', 3, 'FAILED');
    insert into messages.activity (id, org_id, dossier_id, type, metadata)
    values (gen_random_uuid(), 'acme', '1001', 'MESSAGE_FAILED', '{}');`)
  await migrate(pool, [all])
  const { rows: consents } = await pool.query(
    `select org_id, dossier_id, channel, granted, said_at = updated_at as "saidThen"
       from messages.consent order by dossier_id`,
  )
  expect(consents).toEqual([
    { org_id: 'acme', dossier_id: '1001', channel: 'whatsapp', granted: true, saidThen: true },
    { org_id: 'umbrella', dossier_id: '1002', channel: 'email', granted: false, saidThen: true },
  ])
  const { rows } = await pool.query(
    'select dossier_id, attempt_no, lane from messages.outbound_message',
  )
  expect(rows).toEqual([{ dossier_id: '1001', attempt_no: 3, lane: 'normal/acme' }])
  await pool.query(`insert into messages.dossier (id, org_id) values ('1001', 'umbrella')`)
  await expect(
    pool.query(`insert into messages.activity (id, org_id, dossier_id, type, metadata)
                values (gen_random_uuid(), 'umbrella', '1003', 'MESSAGE_SENT', '{}')`),
  ).rejects.toMatchObject({ code: '23503' })
})
