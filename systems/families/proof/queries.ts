import { sql, type Queryable } from '@posthorn/engine'
import { all } from '@posthorn/system'
import { countOf } from '../../../proof/kit/stand/queries.ts'

export interface FamilyEvent {
  readonly id: string
  readonly key: string
  readonly n: number
  readonly type: string
}

export const selectFamilyEvents = (db: Queryable) =>
  all<FamilyEvent>(db)(sql`
    select event_id as id, aggregate_id as key, seq::int as n, event_type as type
      from families.outbox_events order by seq`)

export interface Guest {
  readonly email: string
  /** Of the token that opens the invitation. */
  readonly hash: string
  /** The mail server has refused the letter for good, and an alert says so. */
  readonly isRefused: boolean
}

/** Guests whose invitation stands. */
export const selectInvited = (db: Queryable) =>
  all<Guest>(db)(sql`
    select i.email, encode(i.token_hash, 'hex') as hash, exists (
             select from posthorn.alert as a
              where a.source = 'families.invitation-mails' and a.code = 'MAIL_REFUSED'
                and a.subject = i.id::text) as "isRefused"
      from families.family_member_invitations as i`)

/** Families and invitations whose events tell of them never, or more than once. */
export const countUnexplainedFamilies = (db: Queryable) =>
  countOf(db)(sql`
    with noted as (
      select event_type, payload #>> '{familyId,value}' as family,
             payload #>> '{invitationId,value}' as invitation,
             coalesce((payload ->> 'isResend')::boolean, false) as is_resend
        from families.outbox_events
    )
    select ((select count(*) from families.families as f
              where 1 <> (select count(*) from noted
                           where event_type like '%.FamilyCreatedEvent' and family = f.id::text))
          + (select count(*) from families.family_member_invitations as i
              where 1 <> (select count(*) from noted
                           where event_type like '%.FamilyMemberInvitedEvent' and not is_resend
                             and invitation = i.id::text)))::int as count`)
