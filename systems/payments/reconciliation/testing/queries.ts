/** Statements of the tests: whole worlds at once, which the product never does. */

/** Payments of one JSON array, with their ids. */
export const INSERT_PAYMENTS = `
  insert into payments.payments
         (id, org_id, user_id, amount, currency, external_payment_id, metadata, created_at,
          gateway_ref, capture_method)
  select id, coalesce(org, 'acme'), coalesce("user", 'ada'), amount, coalesce(currency, 'EUR'),
         name, metadata, coalesce("createdAt", posthorn.now()), "gatewayRef",
         case when captured is null then 'automatic' else 'manual' end
    from jsonb_to_recordset($1::jsonb) as p
         (id uuid, org text, "user" text, amount bigint, currency text, name text,
          metadata jsonb, "createdAt" timestamptz, "gatewayRef" text, captured bigint)`

/** Takes what was authorised. */
export const CAPTURE_PAYMENTS = `
  update payments.payments as p
     set authorisation = 'captured', captured_amount = g.captured, status = 'succeeded'
    from jsonb_to_recordset($1::jsonb) as g (id uuid, captured bigint)
   where p.id = g.id and g.captured is not null`

/** Moves payments of the same array to their status, by the moves that the table allows. */
export const MOVE_PAYMENTS = `
  update payments.payments as p
     set status = $2
    from jsonb_to_recordset($1::jsonb) as g (id uuid, status text)
   where p.id = g.id
     and (g.status = $2 or g.status = 'refunded' and $2 = 'succeeded')`

/** A refund of a payment, as the gateway and its webhooks leave it. */
export const INSERT_REFUND = `
  insert into payments.transactions
         (id, payment_id, type, status, amount, currency, gateway_key, gateway_ref, error_code)
  select $1::uuid, id, 'refund', $3::text, $4, currency, $1::uuid::text, $5,
         case when $3::text = 'failed' then 'REFUSED' end
    from payments.payments
   where id = $2`

/** A dispute of a payment. */
export const INSERT_DISPUTE = `
  insert into payments.disputes
         (id, payment_id, org_id, gateway_ref, status, amount, currency, closed_at)
  select $1::uuid, id, org_id, $5, $3::text, $4, currency,
         case when $3::text <> 'opened' then posthorn.now() end
    from payments.payments
   where id = $2`

/** A file and its records, as an upload leaves them. */
export const INSERT_FILE = `
  with records as (
    insert into payments.reconciliation_records
           (run_id, line_number, amount, booked_on, currency, external_transaction_id)
    select $1, i + 1, amount, '2026-11-02', currency, name
      from rows from (jsonb_to_recordset($5::jsonb) as (name text, amount bigint, currency text))
           with ordinality as t (name, amount, currency, i)
  )
  insert into payments.reconciliation_runs
         (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums)
  values ($1, $2, $3, 'small.csv', $4, 1, $6, $6, $7)`

/** Each line of a file with what became of it. */
export const SELECT_OUTCOMES = `
  select r.line_number as line, r.external_transaction_id as name, r.amount::int as amount,
      r.currency, r.status, r.matched_payment_id as "paymentId", d.reason, r.version,
      r.decided_by as "decidedBy"
    from payments.reconciliation_records as r
    left join payments.reconciliation_reasons as d using (run_id, line_number)
   where run_id = $1
   order by line_number`

/** What is wrong with the books of an organisation. */
export const SELECT_MISTAKES = `
  with mine as (
    select * from payments.reconciliation_runs where org_id = $1 and run_no > 0
  ), counted as (
    select u.id as run_id, u.run_no, r.currency, d.reason, count(*) as records,
           sum(r.amount) as amount
      from mine as u
      join payments.reconciliation_records as r on r.run_id = u.id
      join payments.reconciliation_details as d using (run_id, line_number)
     group by 1, 2, 3, 4
  ), used as (
    select r.run_id, r.line_number, r.matched_payment_id as payment_id
      from mine as u join payments.reconciliation_records as r on r.run_id = u.id
     where r.matched_payment_id is not null and r.matched_as is null
    union all
    select l.run_id, l.line_number, l.payment_id
      from mine as u join payments.reconciliation_links as l on l.run_id = u.id
  ), paid as (
    select run_id, line_number, sum(amount) as amount
      from (select t.run_id, t.line_number, coalesce(p.captured_amount, p.amount) as amount
              from used as t join payments.payments as p on p.id = t.payment_id
            union all
            select f.run_id, f.line_number, -x.amount
              from mine as u join payments.reconciliation_reversals as f on f.run_id = u.id
              join payments.reversals as x on x.id = f.id) as money
     group by 1, 2
  ), parts as (
    select r.matched_payment_id as payment_id, sum(r.amount - coalesce(r.adjustment, 0)) as amount
      from mine as u join payments.reconciliation_records as r on r.run_id = u.id
     where r.matched_as = 'part'
     group by 1
  )
  select 'tally' as mistake, to_jsonb(t) as here, to_jsonb(c) as there
    from (select t.* from payments.reconciliation_tallies as t
           join mine as u on u.id = t.run_id and u.run_no = t.run_no where t.records > 0) as t
    full join counted as c using (run_id, run_no, currency, reason)
   where (t.records, t.amount) is distinct from (c.records, c.amount)
  union all
  select 'payment used twice', to_jsonb(payment_id), null
    from used group by payment_id having count(*) > 1
  union all
  select 'counts', to_jsonb(u), null
    from mine as u
   where u.matched <> (select count(*) from payments.reconciliation_records as r
                        where r.run_id = u.id and r.status = 'matched')
  union all
  select 'payment in parts and whole, or in too many', to_jsonb(payment_id), to_jsonb(parts.amount)
    from parts join payments.payments as p on p.id = parts.payment_id
   where parts.amount > coalesce(p.captured_amount, p.amount) or payment_id in (select payment_id from used)
  union all
  select 'record without its refund or dispute', to_jsonb(r), null
    from mine as u join payments.reconciliation_records as r on r.run_id = u.id
   where r.matched_as in ('refund', 'dispute')
     and not exists (select from payments.reconciliation_reversals as f
                       join payments.reversals as x on x.id = f.id and x.kind = r.matched_as
                      where f.run_id = r.run_id and f.line_number = r.line_number)
  union all
  select 'not added up', to_jsonb(r), null
    from paid
    join payments.reconciliation_records as r using (run_id, line_number)
   where r.amount - coalesce(r.adjustment, 0) <> paid.amount`
