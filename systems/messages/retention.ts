import type { DataClass, PersonalTable, RetentionCatalogue } from '@posthorn/operate'
import { listRecipients } from './dossiers/queries.ts'

const ORG_OF_ATTEMPT =
  '(select m.org_id from messages.outbound_message as m where m.id = t.outbound_message_id)'
const DOSSIER_OF_ATTEMPT =
  '(select m.dossier_id from messages.outbound_message as m where m.id = t.outbound_message_id)'

const DOSSIER_OF_AUDIT = `case when t.entity_type = 'DOSSIER' then t.entity_id end`

/** The parameters of a template, a subject, a text: all but the language. */
const WITHOUT_CONTENTS = `jsonb_strip_nulls(jsonb_build_object('language', t.payload_json -> 'language'))
       || '{"removed": true}'`

const contents = {
  table: 'messages.outbound_message',
  key: ['id'],
  uuid: 'id',
  dated: 't.updated_at',
  org: 't.org_id',
  things: { dossier: 't.dossier_id' },
  set: {
    payload_json: WITHOUT_CONTENTS,
    components: 'null',
    // A code of six digits can be found by its hash.
    request_fingerprint: `''`,
    contents_removed_at: 'now()',
  },
}

const inboundContents = {
  table: 'messages.inbound_message',
  key: ['id'],
  uuid: 'id',
  dated: 't.received_at',
  org: 't.org_id',
  things: { dossier: 't.dossier_id' },
}

const classes: DataClass[] = [
  {
    name: 'messages.contents',
    title: 'Contents of messages that were sent: codes and other parameters',
    keep: '1d',
    personal: true,
    leaves: 'The message without its parameters.',
    rules: [
      {
        ...contents,
        when: `t.contents_removed_at is null and t.conversation_id is null
               and t.status in ('SENT', 'DELIVERED', 'CANCELLED')`,
      },
    ],
  },
  {
    name: 'messages.failed-contents',
    title: 'Contents of messages that failed',
    keep: '7d',
    personal: true,
    leaves: 'The message without its parameters; it can no longer be sent again.',
    rules: [{ ...contents, when: `t.contents_removed_at is null and t.status = 'FAILED'` }],
  },
  {
    name: 'messages.conversation-texts',
    title: 'What people wrote, and the answers',
    keep: '90d',
    personal: true,
    leaves: 'The conversation without its texts.',
    rules: [
      {
        ...inboundContents,
        when: 't.contents_removed_at is null',
        set: {
          text: 'null',
          content: `'{"removed": true}'`,
          contents_removed_at: 'now()',
        },
      },
      {
        ...contents,
        when: `t.contents_removed_at is null and t.conversation_id is not null
               and t.status in ('SENT', 'DELIVERED', 'CANCELLED')`,
      },
    ],
  },
  {
    name: 'messages.messages',
    title: 'Messages with their attempts',
    keep: '365d',
    least: '30d',
    personal: true,
    leaves: 'The audit. Messages that wait or are being sent stay.',
    rules: [
      {
        table: 'messages.outbound_message',
        key: ['id'],
        uuid: 'id',
        dated: 't.updated_at',
        when: `t.status in ('SENT', 'DELIVERED', 'FAILED', 'CANCELLED')`,
        org: 't.org_id',
        things: { dossier: 't.dossier_id' },
      },
    ],
  },
  {
    name: 'messages.conversations',
    title: 'Conversations and when people wrote',
    keep: '365d',
    // The provider repeats itself for a week at the most.
    least: '8d',
    personal: true,
    leaves: 'What was said about consent.',
    rules: [
      inboundContents,
      {
        table: 'messages.conversation',
        key: ['id'],
        uuid: 'id',
        dated: 't.active_at',
        when: `not exists (select from messages.inbound_message as i where i.conversation_id = t.id)
               and not exists (select from messages.outbound_message as m
                                where m.conversation_id = t.id)`,
        org: 't.org_id',
        things: { dossier: 't.dossier_id' },
      },
    ],
  },
  {
    name: 'messages.consents',
    title: 'What people said about being written to, with proof',
    keep: '3650d',
    least: '365d',
    personal: true,
    leaves: 'Whether the dossier or the number may be written to.',
    rules: [
      {
        table: 'messages.consent_event',
        key: ['id'],
        uuid: 'id',
        dated: 't.created_at',
        org: 't.org_id',
        things: { dossier: 't.dossier_id' },
      },
    ],
  },
  {
    name: 'messages.statuses',
    title: "The provider's reports of delivery",
    keep: '30d',
    // The provider repeats itself for a week at the most.
    least: '8d',
    personal: true,
    leaves: "The message's state.",
    rules: [
      {
        table: 'messages.delivery_status',
        key: ['provider_message_id', 'status'],
        since: 'received_at',
        dated: 't.received_at',
        org: 't.org_id',
      },
    ],
  },
  {
    name: 'messages.activities',
    title: 'Activities of dossiers',
    keep: '1095d',
    personal: true,
    leaves: 'The dossier, its consents and the audit.',
    rules: [
      {
        table: 'messages.activity',
        key: ['id'],
        uuid: 'id',
        dated: 't.created_at',
        org: 't.org_id',
        things: { dossier: 't.dossier_id' },
      },
    ],
  },
  {
    name: 'messages.audit',
    title: 'Audit of messages and consents',
    keep: '3650d',
    least: '365d',
    personal: true,
    leaves: 'Its seals, and a note of the removal.',
    rules: [
      {
        table: 'messages.audit_event',
        key: ['seq'],
        since: 'created_at',
        dated: 't.created_at',
        org: 't.org_id',
        things: { dossier: DOSSIER_OF_AUDIT },
        audit: true,
      },
    ],
  },
]

const personal: PersonalTable[] = [
  {
    table: 'messages.audit_event',
    key: ['seq'],
    org: 't.org_id',
    things: { dossier: DOSSIER_OF_AUDIT },
    audit: true,
  },
  {
    table: 'messages.outbound_attempt',
    key: ['id'],
    about: { dossierId: `${DOSSIER_OF_ATTEMPT} = $value` },
    org: ORG_OF_ATTEMPT,
    busy: `t.status = 'TRYING'`,
    things: { dossier: DOSSIER_OF_ATTEMPT },
  },
  {
    table: 'messages.delivery_status',
    key: ['provider_message_id', 'status'],
    org: 'coalesce(t.org_id, $tenant)',
    busy: 't.message_id is null',
  },
  {
    table: 'messages.activity',
    key: ['id'],
    about: { dossierId: 't.dossier_id = $value' },
    org: 't.org_id',
    things: { dossier: 't.dossier_id' },
  },
  {
    table: 'messages.inbound_message',
    key: ['id'],
    columns: {
      text: { to: 'null' },
      content: { to: `'{"erased": true}'::jsonb` },
      contents_removed_at: { to: 'coalesce(t.contents_removed_at, now())' },
    },
    about: { dossierId: 't.dossier_id = $value' },
    org: 'coalesce(t.org_id, $tenant)',
    things: { dossier: 't.dossier_id' },
  },
  {
    table: 'messages.conversation',
    key: ['id'],
    columns: { recipient: { to: `'erased-' || t.id` }, contact_name: { to: 'null' } },
    about: { dossierId: 't.dossier_id = $value' },
    org: 't.org_id',
    things: { dossier: 't.dossier_id' },
  },
  {
    table: 'messages.consent_event',
    key: ['id'],
    columns: { proof: { to: `'erased'` } },
    about: { dossierId: 't.dossier_id = $value' },
    org: 't.org_id',
    things: { dossier: 't.dossier_id' },
  },
  {
    table: 'messages.outbound_message',
    key: ['id'],
    columns: {
      payload_json: { to: `'{"erased": true}'::jsonb` },
      components: { to: 'null' },
      contents_removed_at: { to: 'coalesce(t.contents_removed_at, now())' },
      idempotency_key: {
        to: `case when t.idempotency_key ~* $pattern then 'erased-' || t.id else t.idempotency_key end`,
      },
    },
    about: { dossierId: 't.dossier_id = $value' },
    org: 't.org_id',
    busy: `t.status in ('QUEUED', 'SENDING')`,
    things: { dossier: 't.dossier_id' },
  },
]

/** What outbound messages keep. A dossier's id means nothing without what was said to it. */
export const messageRetention: RetentionCatalogue = {
  classes,
  things: { dossier: { table: 'messages.dossier', id: 'id', org: 'org_id' } },
  personal,
  resolve: async (db, { tenant: orgId, kind, value: dossierId }) =>
    kind === 'dossierId' ? listRecipients(db, { orgId, dossierId }) : [],
  kept: {
    'messages.consent': 'the proof that messages were allowed, as long as the dossier',
    'messages.dossier': 'an id, and nothing else',
    'messages.recipient_consent': 'who must not be written to, by a digest of the number',
    'messages.outbound_attempt': 'goes with its message',
    'messages.account': 'configuration: goes when it is deleted',
    'messages.sending_stop': 'goes when its account sends again',
    'messages.template': 'configuration: goes when it is deleted',
  },
}
