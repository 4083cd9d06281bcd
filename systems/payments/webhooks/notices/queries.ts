import { sql, type Transaction } from '@posthorn/engine'
import { all } from '@posthorn/system'

/** An alert that needs a notice. */
export interface Notable {
  readonly id: string
  readonly source: string
  readonly subject: string
  readonly tenant: string | null
  readonly code: string
  readonly detail: string
  readonly raised_at: Date
  readonly recovered_at: Date | null
  /** The hour that the notice is for. */
  readonly hour: Date
}

/**
 * Standing alerts of the last two hours without a notice, one for each subject without a
 * notice in this hour; one that has to wait gets it in the next. Older ones are history when notices are
 * switched on, and those about notices themselves would never end.
 */
export const selectRaised = (tx: Transaction, own: string) =>
  all<Notable>(tx)(sql`
    select * from (
      select distinct on (a.source, a.subject)
             a.id::text as id, a.source, a.subject, a.tenant, a.code, a.detail, a.raised_at,
             a.recovered_at, date_trunc('hour', now()) as hour
        from (select * from posthorn.alert order by id desc limit 5000) a
       where a.raised_at > now() - interval '2 hours' and a.recovered_at is null
         and a.source <> ${own}
         and not exists (select from payments.alert_notices n
                          where n.source = a.source and n.subject = a.subject
                            and n.kind = 'raised'
                            and (n.alert_id = a.id or n.hour = date_trunc('hour', now())))
       order by a.source, a.subject, a.id
    ) as raised
    order by id::bigint
    limit 500`)

/** Alerts with a notice that have recovered. */
export const takeRecovered = (tx: Transaction) =>
  all<Notable>(tx)(sql`
    with over as (
      select n.id, a.recovered_at
        from payments.alert_notices n
        join posthorn.alert a on a.id = n.alert_id
       where n.kind = 'raised' and not n.closed and a.recovered_at is not null
       order by n.id
       limit 500
         for update of n skip locked
    ),
    closed as (
      update payments.alert_notices as n
         set closed = true
        from over
       where n.id = over.id
      returning n.alert_id
    )
    select a.id::text as id, a.source, a.subject, a.tenant, a.code, a.detail, a.raised_at,
           a.recovered_at, date_trunc('hour', now()) as hour
      from closed join posthorn.alert a on a.id = closed.alert_id
     order by a.id`)
