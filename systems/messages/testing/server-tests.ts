import { randomUUID } from 'node:crypto'
import { uuid } from '@posthorn/engine'
import {
  plainSecret,
  secretWord,
  type ForeignWorld,
  type Operator,
  type Secrets,
  type SecretServer,
  type ServerTests,
  type Things,
} from '@posthorn/server/testing'
import { expect } from 'vitest'

const TEMPLATE = { category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello' }] }
const REMINDER = {
  ...{ channel: 'whatsapp', templateCode: 'appointment_reminder' },
  payloadJson: { language: 'en_US', parameters: ['Monday', '10:00'] },
}

const SORTED = `
  insert into messages.outbound_message
         (id, org_id, channel, to_recipient, payload_json, idempotency_key, request_fingerprint,
          created_at)
  select id, org, 'WHATSAPP', '+41790000000', '{}', n, '', now() + n * interval '1 s' from n;`

const WORLD = `
declare
  message uuid := public.uuid_of(at);
  dossier text := 'd-' || org;
  conversation uuid := public.uuid_of(at);
begin
  insert into messages.audit_event (id, org_id, entity_type, entity_id, action, details, actor, created_at)
  values (public.uuid_of(at), org, 'DOSSIER', dossier, 'BLOCKED_BY_POLICY', note, 'u', case when over then at else now() end);
  insert into messages.dossier (id, org_id, created_at) values (dossier, org, at);
  insert into messages.outbound_message (id, org_id, lane, dossier_id, channel, to_recipient, template_code, payload_json, status, idempotency_key, request_fingerprint, error_message, created_at, updated_at)
  values (message, org, 'normal/' || org, dossier, 'whatsapp', phone, 'otp_code', jsonb_build_object('language', 'en_US', 'parameters', jsonb_build_array('PIN-4711')), case when over then 'SENT' else 'QUEUED' end, message::text, 'f', note, at, at),
         (public.uuid_of(at), org, 'normal/' || org, dossier, 'email', email, 'mail', jsonb_build_object('subject', 'Hi Ada'), case when over then 'FAILED' else 'QUEUED' end, message || ':' || email, 'f', note, at, at);
  insert into messages.outbound_attempt (id, outbound_message_id, attempt_no, status, provider_response, error_message, created_at)
  values (public.uuid_of(at), message, 1, case when over then 'SUCCESS' else 'TRYING' end, jsonb_build_object('contacts', person), note, at);
  insert into messages.delivery_status (provider_message_id, status, message_id, org_id, report, received_at)
  values ('wamid-' || message, 'sent', case when over then message end, org, jsonb_build_object('recipient', replace(phone, '+', '')), case when over then at else now() end);
  insert into messages.conversation (id, org_id, channel, recipient, number_id, contact_name, dossier_id, last_inbound_at, session_until, active_at, created_at)
  values (conversation, org, 'whatsapp', phone, '1', note, dossier, at, at, case when over then at else now() end, at);
  insert into messages.inbound_message (id, provider_message_id, org_id, channel, conversation_id, number_id, from_number, kind, text, content, dossier_id, sent_at, at, received_at)
  values (public.uuid_of(at), 'wamid-in-' || conversation, org, 'whatsapp', conversation, '1', phone, 'text', note, person, dossier, at, at, case when over then at else now() end);
  insert into messages.outbound_message (id, org_id, lane, dossier_id, channel, to_recipient, conversation_id, payload_json, status, idempotency_key, request_fingerprint, created_at, updated_at)
  values (public.uuid_of(at), org, 'normal/' || org, dossier, 'whatsapp', phone, conversation, jsonb_build_object('text', note), case when over then 'SENT' else 'QUEUED' end, conversation::text, 'f', at, at);
  insert into messages.consent_event (id, org_id, channel, dossier_id, recipient, granted, source, proof, actor, said_at, created_at)
  values (public.uuid_of(at), org, 'whatsapp', dossier, phone, true, 'form', note, 'u', at, case when over then at else now() end);
  insert into messages.person (user_id, org_id, recipient, seen_at) values ('US.' || replace(phone, '+', '') || '.' || at, org, phone, case when over then at else now() end);
  insert into messages.account_notice (id, account_id, org_id, field, subject, event, digest, said_at)
  values (public.uuid_of(at), '1', org, 'account_update', '1', 'VERIFIED_ACCOUNT', sha256(convert_to(message::text, 'UTF8')), case when over then at else now() end);
  insert into messages.activity (id, org_id, dossier_id, type, metadata, created_at) values (public.uuid_of(at), org, dossier, 'MESSAGE_SENT', person, case when over then at else now() end);
  insert into posthorn.transition (outbox, message_id, to_state, error, actor, at, tenant) values ('messages.outbound', message::text, 'SENT', note, 'RELAY', at, org);
  things := things || jsonb_build_object('dossier', dossier);
end;`

/** Messages to people and what belongs to them. */
async function make(operator: Operator): Promise<Things> {
  const { org, number, put, first, untilIs } = operator
  const path = '/api/v1/outbound/messages'
  const { id: message } = await operator.make(path, { ...REMINDER, to: number })
  const { id: account } = await operator.make('/api/v1/outbound/accounts', {
    ...{ name: 'own', phoneNumberIds: [`10${number.slice(1)}`], accessToken: 'token-of-account' },
    ...{ appSecret: 'secret-of-account', verifyToken: 'word-of-account' },
  })
  await untilIs(`${path}/${String(message)}`, 'DELIVERED')
  await operator.make('/sim/whatsapp/inbound', { from: number, text: 'Yes', name: 'Ada' })
  const dossier = `dossier-of-${org}`
  await put(`/api/v1/dossiers/${dossier}/consents/whatsapp`, { granted: true })
  const template = `template_of_${org}`
  await put(`/api/v1/outbound/templates/${template}/en_US`, TEMPLATE)
  return {
    conversations: { id: await first('/api/v1/conversations') },
    'outbound/messages': { id: message },
    'outbound/accounts': { id: account },
    'outbound/templates': { name: template, language: 'en_US' },
    dossiers: { id: dossier, channel: 'whatsapp' },
  }
}

function naming({ ours, foreign }: ForeignWorld) {
  const id = foreign['outbound/accounts']?.['id']
  return [
    {
      ...{ field: 'outbound/messages accountId', id },
      body: (accountId: unknown) => ({ ...REMINDER, to: ours.number, accountId }),
    },
    {
      ...{ field: 'outbound/templates/import accountId', id },
      body: (accountId: unknown) => ({ accountId }),
    },
  ]
}

async function unchanged({ theirs, foreign }: ForeignWorld) {
  const path = `/api/v1/outbound/messages/${String(foreign['outbound/messages']?.['id'])}`
  expect((await theirs.ask('GET', path)).body).toMatchObject({ status: 'DELIVERED' })
  const accounts = await theirs.items('/api/v1/outbound/accounts')
  const account = accounts.find(({ id }) => id === foreign['outbound/accounts']?.['id'])
  expect(account).toMatchObject({ name: 'own' })
  expect(await theirs.items('/api/v1/outbound/templates')).toMatchObject([
    { name: 'template_of_theirs' },
  ])
  const dossier = `/api/v1/dossiers/${String(foreign['dossiers']?.['id'])}/consents`
  expect(await theirs.items(dossier)).toMatchObject([{ granted: true }])
}

/** Of an account of another organisation: WhatsApp does not know it, and refuses what is sent by it. */
async function give({ make: create }: SecretServer): Promise<Secrets> {
  const secrets = {
    ...{ accessToken: secretWord(), appSecret: secretWord(), verifyToken: secretWord() },
  }
  const account = { name: 'shop', phoneNumberIds: ['106540352249999'], ...secrets }
  await create('/api/v1/outbound/accounts', account, 'shop')
  const message = { channel: 'whatsapp', to: '+16505551234', templateCode: 'hello_world' }
  const payloadJson = { language: 'en_US', parameters: [] }
  await create('/api/v1/outbound/messages', { ...message, payloadJson }, 'shop')
  await create('/api/v1/outbound/messages', {
    ...{ channel: 'email', to: 'ada@example.test' },
    payloadJson: { subject: 'Hi', text: 'Hello' },
  })
  return secrets
}

export const serverTests: ServerTests = {
  access: {
    signed: /^\w+ \/api\/v1\/webhooks\/whatsapp\//,
    admins:
      /^((POST|PATCH|DELETE) \/api\/v1\/outbound\/(accounts|templates)|PUT \/api\/v1\/outbound\/templates)(\/|$)/,
  },
  sorting: { seed: SORTED, lists: ['/api/v1/outbound/messages'] },
  foreign: {
    make,
    naming,
    unchanged,
    sought: ['outbound/messages id', 'dossiers id'],
    outside: ['businessAccountId', 'phoneNumberIds'],
    chosen: ['dossiers', 'outbound/templates'],
    explained: [
      [
        /^\/api\/v1\/webhooks\/whatsapp\/accounts\/\{id\}\/inbound$/,
        "signed by the account's secret",
      ],
    ],
    bodies: {
      'PATCH outbound/accounts': { name: 'theirs no more' },
      'POST conversations messages': { text: 'hello' },
      'PUT conversations consent': { granted: false },
      'PUT dossiers': { granted: false },
      'PUT outbound/templates': TEMPLATE,
    },
  },
  secrets: {
    give,
    settings() {
      const mail = secretWord()
      return {
        WHATSAPP_ACCESS_TOKEN: plainSecret(),
        WHATSAPP_APP_SECRET: plainSecret(),
        WHATSAPP_VERIFY_TOKEN: plainSecret(),
        // The server there does not answer: its errors are logged, stored and counted.
        OUTBOUND_EMAIL_URL: { value: `smtp://posthorn:${mail}@127.0.0.1:1`, secret: mail },
      }
    },
    pages: [/outbound\/messages\/[^/]+\/attempts$/],
  },
  retention: {
    world: WORLD,
    sums: { messages: 'select count(*) from messages.outbound_message' },
    busy: 'messages.outbound_message',
  },
  journey: {
    links: ['case'],
    kinds: ['outbound message'],
    says: [],
    async write(pool, { org, case: dossier }) {
      const message = uuid()
      await pool.query('insert into messages.dossier (id, org_id) values ($1, $2)', [dossier, org])
      await pool.query(
        `insert into messages.outbound_message
           (id, org_id, dossier_id, channel, to_recipient, template_code, payload_json,
            idempotency_key, request_fingerprint)
         values ($1::uuid, $2, $3, 'whatsapp', '+16505550001', 'hello_world', '{}', $1::text, 'x')`,
        [message, org, dossier],
      )
      return { message }
    },
  },
  audit: {
    hasBusinessTime: false,
    async note(pool, id) {
      await pool.query(
        `insert into messages.audit_event (id, org_id, entity_type, entity_id, action, details, actor)
         values ($1, 'demo', 'DOSSIER', $2, 'noted', '{}', 'ada')`,
        [randomUUID(), id],
      )
    },
  },
}
