import { toMs } from '@posthorn/engine'
import { type CheckedDefinition, TRANSITIONS } from '@posthorn/engine/internal'
import type { DataClass, RetentionCatalogue } from './apply-retention.ts'

const transitions: DataClass = {
  name: TRANSITIONS,
  title: 'Transitions of messages',
  keep: '90d',
  least: '7d',
  personal: true,
  leaves: 'The messages themselves, as long as they are kept.',
  maintained: [
    { table: 'posthorn.transition', key: ['id'], dated: 't.at', org: 't.tenant', ordered: 'id' },
  ],
}

const alerts: DataClass = {
  name: 'engine.alerts',
  title: 'Alerts that are acknowledged or over',
  keep: '365d',
  least: '7d',
  personal: false,
  leaves: 'Nothing. Open alerts stay.',
  rules: [
    {
      table: 'posthorn.alert',
      key: ['id'],
      dated: 'coalesce(t.recovered_at, t.acknowledged_at)',
      org: 't.tenant',
      ordered: 'id',
    },
  ],
}

const deadLetters: DataClass = {
  name: 'engine.dead-letters',
  title: 'Messages that a consumer could not handle',
  keep: '365d',
  least: '7d',
  personal: true,
  leaves: 'Their alert. Messages that are still tried again stay.',
  rules: [
    {
      table: 'posthorn.consumer_message',
      key: ['id'],
      dated: 't.died_at',
      when: `t.state = 'dead'`,
      org: 't.tenant',
      ordered: 'id',
    },
  ],
}

const replays: DataClass = {
  name: 'engine.replays',
  title: 'Replays that have ended',
  keep: '365d',
  personal: false,
  leaves: 'The transitions of the messages they sent again.',
  rules: [{ table: 'posthorn.replay', key: ['id'], dated: 't.ended_at' }],
}

const operations: DataClass = {
  name: 'engine.operations',
  title: 'Audit of what operators did',
  keep: '3650d',
  least: '365d',
  personal: true,
  leaves: 'Its seals, and a note of the removal.',
  rules: [
    {
      table: 'posthorn.operation',
      key: ['id'],
      since: 'at',
      dated: 't.at',
      org: 't.tenant',
      audit: true,
    },
  ],
}

/** What the engine itself keeps, for a server with these outboxes. */
export function engineRetention(outboxes: readonly CheckedDefinition[]): RetentionCatalogue {
  const archives = outboxes.flatMap(({ retention }) => (retention ? [toMs(retention.archive)] : []))
  const archive: DataClass = {
    name: 'engine.archive',
    title: 'Archive of messages that were sent',
    keep: `${Math.max(0, ...archives)}ms`,
    fixed: true,
    personal: true,
    leaves: 'Nothing. The definition of each outbox says how long it archives.',
    maintained: [
      {
        table: 'posthorn.archive',
        key: ['outbox', 'message_id'],
        dated: 't.archived_at',
        since: 'archived_at',
      },
    ],
  }
  return {
    classes: [transitions, alerts, deadLetters, replays, operations, archive],
    personal: [
      {
        table: 'posthorn.archive',
        key: ['message_id', 'outbox'],
        org: `coalesce(t.row_data ->> 'org_id', t.row_data ->> 'tenant', $tenant)`,
      },
      {
        table: 'posthorn.consumer_message',
        key: ['id'],
        org: 'coalesce(t.tenant, $tenant)',
        busy: `t.state <> 'dead'`,
      },
      {
        table: 'posthorn.transition',
        key: ['id'],
        org: 'coalesce(t.tenant, $tenant)',
      },
      {
        table: 'posthorn.operation',
        key: ['id'],
        org: 'coalesce(t.tenant, $tenant)',
        audit: true,
      },
      {
        table: 'posthorn.alert',
        key: ['id'],
        org: 'coalesce(t.tenant, $tenant)',
      },
    ],
    kept: {
      'posthorn.audit_seal': 'shows that the audits are as they were',
      'posthorn.audit_removal': 'shows what of the audits was removed, and why',
      'posthorn.legal_hold': 'shows for how long what was exempt, and why',
      'posthorn.erasure': 'shows that an erasure was done; it does not say whose',
      'posthorn.retention': 'settings',
      'posthorn.retention_run': 'one row for each class of data',
      'posthorn.migration': 'says what the schema is',
      'posthorn.outbox': 'one row for each outbox',
      'posthorn.held_key': 'goes when the key goes on',
      'posthorn.pause': 'goes when the outbox is resumed',
      'posthorn.permit': 'goes when its time is over, at the next claim of its outbox',
      'posthorn.recurring': 'one row for each recurring message of a definition',
      'posthorn.session': 'goes an hour after the relay did, by the maintenance',
      'posthorn.login': 'goes when it has expired, at the next login',
      'posthorn.pulse': 'goes after seven days, by the maintenance',
      'posthorn.sample': 'goes after seven days, by the maintenance',
      'posthorn.watch': 'one row for each part of an outbox that waits, gone when it moves',
      'posthorn.relay_start': 'goes after seven days, by the maintenance',
      'posthorn.consumer_sample': 'goes after seven days, by the maintenance',
      'posthorn.handled': 'goes after thirty days, by the maintenance',
      'posthorn.data_key': 'opens what is encrypted; goes when a tenant is shredded',
      'posthorn.consumer_lag': 'one row for each group',
      'posthorn.consumer_note': 'one row for what a consumer handles at the moment',
    },
  }
}
