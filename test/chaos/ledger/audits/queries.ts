import { sql, type Queryable } from '@posthorn/engine'

/** Payments and refunds that the audit tells of never, or more than once. */
export async function countUnexplainedPayments(db: Queryable): Promise<number> {
  return countOf(
    db,
    sql`
    with told as (
      select entity_id,
             count(*) filter (where action = 'payment.created') as created,
             count(*) filter (where action = 'payment.charged') as charged,
             count(*) filter (where action = 'payment.refund_accepted') as refunded
        from payments.audit_log where entity_type = 'payment' group by 1
    ),
    done as (
      select payment_id,
             count(*) filter (where type = 'charge' and status = 'succeeded') as charged,
             count(*) filter (where type = 'refund' and status = 'succeeded') as refunded
        from payments.transactions group by 1
    )
    select count(*)::int as count
      from payments.payments as p
      left join told on told.entity_id = p.id::text
      left join done on done.payment_id = p.id
     where (told.created, told.charged, told.refunded)
           is distinct from (1, done.charged, done.refunded)`,
  )
}

/** Webhooks whose delivery the audit tells of never, or more than once. */
export async function countUnexplainedWebhooks(db: Queryable): Promise<number> {
  return countOf(
    db,
    sql`
    select count(*)::int as count
      from payments.webhook_deliveries as d
     where d.status = 'delivered'
       and 1 <> (select count(*) from payments.audit_log as a
                  where a.entity_type = 'webhook_delivery' and a.entity_id = d.id::text
                    and a.action in ('webhook.delivered', 'webhook.retry.success'))`,
  )
}

/** Webhooks delivered, by the counters of their endpoints. */
export async function sumDeliveredWebhooks(db: Queryable): Promise<number> {
  return countOf(
    db,
    sql`
    select (coalesce((select sum(delivered) from payments.webhook_endpoint_hours), 0)
            + coalesce((select sum((c.item ->> 'delivered')::int)
                          from payments.webhook_tallies as t
                          cross join lateral jsonb_array_elements(t.counts) as c (item)), 0)
           )::int as count`,
  )
}

/** Messages to people whose audit does not begin with them, or that were sent without a word. */
export async function countUnexplainedMessages(db: Queryable): Promise<number> {
  return countOf(
    db,
    sql`
    select count(*)::int as count
      from messages.outbound_message as m
      left join lateral (
        select count(*) filter (where action = 'CREATED') as created,
               count(*) filter (where action in ('SENT', 'UPDATED')) as sent
          from messages.audit_event as a
         where a.entity_type = 'OUTBOUND_MESSAGE' and a.entity_id = m.id::text) as told on true
     where told.created <> 1 or (m.status = 'DELIVERED' and told.sent = 0)`,
  )
}

/** Sagas that have ended, and whose steps tell another story. */
export async function countUnexplainedSagas(db: Queryable): Promise<number> {
  return countOf(
    db,
    sql`
    select count(*)::int as count
      from sagas.saga as s
      left join lateral (
        select count(*) filter (where status in ('COMPLETED', 'SKIPPED')) as done,
               count(*) filter (where status in ('RUNNING', 'WAITING', 'RETRYING', 'UNDOING')) as open
          from sagas.saga_step as t where t.saga_id = s.id) as steps on true
     where (s.status = 'COMPLETED' and steps.done <> cardinality(s.step_names))
        or (s.status in ('COMPLETED', 'COMPENSATED') and steps.open > 0)`,
  )
}

/** Families and invitations whose events tell of them never, or more than once. */
export async function countUnexplainedFamilies(db: Queryable): Promise<number> {
  return countOf(
    db,
    sql`
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
                             and invitation = i.id::text)))::int as count`,
  )
}

async function countOf(
  db: Queryable,
  statement: Parameters<Queryable['query']>[0],
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(statement)
  return rows[0]?.count ?? 0
}
