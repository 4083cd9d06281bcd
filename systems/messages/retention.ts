import type { DataClass, PersonalTable, RetentionCatalogue } from '@posthorn/operate'
import { listNames } from './dossiers/queries.ts'

const ORG_OF_ATTEMPT =
  '(select m.org_id from messages.outbound_message as m where m.id = t.outbound_message_id)'
const DOSSIER_OF_ATTEMPT =
  '(select m.dossier_id from messages.outbound_message as m where m.id = t.outbound_message_id)'

const DOSSIER_OF_AUDIT = `case when t.entity_type = 'DOSSIER' then t.entity_id end`

/** The parameters of a template, a subject, a text: all but the language. */
const WITHOUT_CONTENTS = `jsonb_strip_nulls(jsonb_build_object('language', t.payload_json -> 'language'))
       || '{"removed": true}'`

/** Rows of a table that belong to an organisation and a dossier. */
const ofDossier = (table: string) => ({
  ...{ table: `messages.${table}`, key: ['id'], org: 't.org_id' },
  things: { dossier: 't.dossier_id' },
})
const messages = { ...ofDossier('outbound_message'), uuid: 'id', dated: 't.updated_at' }
const inbound = { ...ofDossier('inbound_message'), uuid: 'id', dated: 't.received_at' }
const reports = { table: 'messages.delivery_status', key: ['provider_message_id', 'status'] }
const people = { table: 'messages.person', key: ['user_id', 'org_id'], org: 't.org_id' }
const audit = {
  ...{ table: 'messages.audit_event', key: ['seq'], org: 't.org_id', audit: true as const },
  things: { dossier: DOSSIER_OF_AUDIT },
}

const contents = {
  ...messages,
  set: {
    payload_json: WITHOUT_CONTENTS,
    components: 'null',
    // A code of six digits can be found by its hash.
    request_fingerprint: `''`,
    contents_removed_at: 'now()',
  },
}

const classes: DataClass[] = [
  {
    ...{ name: 'messages.contents', keep: '1d', personal: true },
    title: 'Contents of sent messages: codes and other parameters',
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
    ...{ name: 'messages.failed-contents', keep: '7d', personal: true },
    title: 'Contents of failed messages',
    leaves: 'The message without its parameters; it can no longer be sent again.',
    rules: [{ ...contents, when: `t.contents_removed_at is null and t.status = 'FAILED'` }],
  },
  {
    ...{ name: 'messages.conversation-texts', keep: '90d', personal: true },
    title: "People's messages and the answers",
    leaves: 'The conversation without its texts.',
    rules: [
      {
        ...inbound,
        when: 't.contents_removed_at is null',
        set: { text: 'null', content: `'{"removed": true}'`, contents_removed_at: 'now()' },
      },
      {
        ...contents,
        when: `t.contents_removed_at is null and t.conversation_id is not null
               and t.status in ('SENT', 'DELIVERED', 'CANCELLED')`,
      },
    ],
  },
  {
    ...{ name: 'messages.messages', keep: '365d', least: '30d', personal: true },
    title: 'Messages with their attempts',
    leaves: 'The audit. Pending messages stay.',
    rules: [{ ...messages, when: `t.status in ('SENT', 'DELIVERED', 'FAILED', 'CANCELLED')` }],
  },
  {
    // The provider repeats itself for a week at the most.
    ...{ name: 'messages.conversations', keep: '365d', least: '8d', personal: true },
    title: 'Conversations and when people wrote',
    leaves: 'The consents.',
    rules: [
      inbound,
      {
        ...{ ...ofDossier('conversation'), uuid: 'id', dated: 't.active_at' },
        when: `not exists (select from messages.inbound_message as i where i.conversation_id = t.id)
               and not exists (select from messages.outbound_message as m
                                where m.conversation_id = t.id)`,
      },
    ],
  },
  {
    ...{ name: 'messages.people', keep: '1095d', least: '365d', personal: true },
    title: 'The number behind each id of WhatsApp',
    leaves: 'Nothing. A later message without the number is of an unknown person.',
    rules: [{ ...people, since: 'seen_at', dated: 't.seen_at' }],
  },
  {
    ...{ name: 'messages.consents', keep: '3650d', least: '365d', personal: true },
    title: "People's consents and withdrawals, with proof",
    leaves: 'The current consent of dossier and number.',
    rules: [{ ...ofDossier('consent_event'), uuid: 'id', dated: 't.created_at' }],
  },
  {
    // The provider repeats itself for a week at the most.
    ...{ name: 'messages.statuses', keep: '30d', least: '8d', personal: true },
    title: "The provider's reports of delivery",
    leaves: "The message's state.",
    rules: [{ ...reports, org: 't.org_id', since: 'received_at', dated: 't.received_at' }],
  },
  {
    ...{ name: 'messages.account-notices', keep: '365d', least: '8d', personal: false },
    title: "WhatsApp's notices about accounts, numbers and templates",
    leaves: 'Nothing.',
    rules: [
      {
        ...{ table: 'messages.account_notice', key: ['id'], org: 't.org_id' },
        ...{ since: 'said_at', dated: 't.said_at' },
      },
    ],
  },
  {
    ...{ name: 'messages.activities', keep: '1095d', personal: true },
    title: 'Activities of dossiers',
    leaves: 'The dossier, its consents and the audit.',
    rules: [{ ...ofDossier('activity'), uuid: 'id', dated: 't.created_at' }],
  },
  {
    ...{ name: 'messages.audit', keep: '3650d', least: '365d', personal: true },
    title: 'Audit of messages and consents',
    leaves: 'Its seals, and a note of the removal.',
    rules: [{ ...audit, since: 'created_at', dated: 't.created_at' }],
  },
]

/** The same where a dossier is the person that is erased. */
const aboutDossier = (table: string) => ({
  ...ofDossier(table),
  about: { dossierId: 't.dossier_id = $value' },
})

const personal: PersonalTable[] = [
  audit,
  {
    ...{ table: 'messages.outbound_attempt', key: ['id'], org: ORG_OF_ATTEMPT },
    about: { dossierId: `${DOSSIER_OF_ATTEMPT} = $value` },
    busy: `t.status = 'TRYING'`,
    things: { dossier: DOSSIER_OF_ATTEMPT },
  },
  { ...reports, org: 'coalesce(t.org_id, $tenant)', busy: 't.message_id is null' },
  { ...people, columns: { user_id: { to: `'erased-' || gen_random_uuid()` } } },
  aboutDossier('activity'),
  {
    ...aboutDossier('inbound_message'),
    org: 'coalesce(t.org_id, $tenant)',
    columns: {
      text: { to: 'null' },
      content: { to: `'{"erased": true}'::jsonb` },
      contents_removed_at: { to: 'coalesce(t.contents_removed_at, now())' },
    },
  },
  {
    ...aboutDossier('conversation'),
    columns: { recipient: { to: `'erased-' || t.id` }, contact_name: { to: 'null' } },
  },
  { ...aboutDossier('consent_event'), columns: { proof: { to: `'erased'` } } },
  {
    ...aboutDossier('outbound_message'),
    columns: {
      payload_json: { to: `'{"erased": true}'::jsonb` },
      components: { to: 'null' },
      contents_removed_at: { to: 'coalesce(t.contents_removed_at, now())' },
      idempotency_key: {
        to: `case when t.idempotency_key ~* $pattern then 'erased-' || t.id else t.idempotency_key end`,
      },
    },
    busy: `t.status in ('QUEUED', 'SENDING')`,
  },
]

/** What outbound messages keep. A dossier's id means nothing without what was said to it. */
export const messageRetention: RetentionCatalogue = {
  classes,
  things: { dossier: { table: 'messages.dossier', id: 'id', org: 'org_id' } },
  personal,
  resolve: (db, { tenant: orgId, kind, value }) => listNames(db, { orgId, kind, value }),
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
