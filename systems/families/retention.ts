import { pruneInbox } from '@posthorn/engine/inbox'
import type { RetentionCatalogue } from '@posthorn/operate'
import { inbox } from './invitation-mails.ts'

const ORG_OF_FAMILY = '(select f.org_id from families.families as f where f.id = t.family_id)'

const ofFamily = { org: ORG_OF_FAMILY, things: { family: 't.family_id' } }
const invitations = { table: 'families.family_member_invitations', key: ['id'], ...ofFamily }

/** What families keep. */
export const familyRetention: RetentionCatalogue = {
  classes: [
    {
      ...{ name: 'families.invitations', keep: '365d', least: '1d', personal: true },
      title: 'Answered, revoked and expired invitations',
      leaves: 'The member, if the invitation was accepted.',
      rules: [
        {
          ...{ ...invitations, uuid: 'id', dated: 't.expires_at' },
          when: `t.status <> 'PENDING' or t.expires_at < posthorn.now()`,
        },
      ],
    },
    {
      ...{ name: 'families.inbox', keep: '90d', fixed: true, personal: false },
      title: 'Ids of events for which a mail was sent',
      leaves: 'Nothing. Events that are older are refused.',
      maintained: [
        {
          ...{ table: 'families.consumer_inbox', key: ['event_id', 'consumer'] },
          ...{ ordered: 'event_id', dated: 't.received_at' },
        },
      ],
      prune: async ({ pool, log }) => (await pruneInbox(pool, inbox, { log })).deleted,
    },
  ],
  things: { family: { table: 'families.families', id: 'id', org: 'org_id' } },
  personal: [
    { table: 'families.outbox_events', key: ['event_id'], org: 't.org_id', busy: 't.status = 0' },
    {
      ...invitations,
      columns: {
        // An address of its own: two of one family may not be the same while they are open.
        email: { to: `case when t.email ~* $find then 'erased-' || t.id else t.email end` },
        status: {
          to: `case when t.status = 'PENDING' and t.email ~* $find then 'REVOKED' else t.status end`,
        },
      },
    },
    {
      ...{ table: 'families.family_members', key: ['family_id', 'user_id'], ...ofFamily },
      columns: { email: { to: `case when t.email ~* $find then null else t.email end` } },
    },
  ],
  kept: {
    'families.families': 'as long as the organisation wants; it has a name and no address',
    'families.family_members': 'as long as they are members; erasing a person removes the address',
    'families.outbox_events': 'goes into the archive after 30 days, by the outbox',
  },
}
