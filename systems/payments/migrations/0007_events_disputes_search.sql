-- Events of the gateway that can be looked at, disputes, and payments that are searched and asked about.

alter table payments.webhook_events
  -- `lookup`: the gateway was asked, since its webhook did not come.
  add column source text not null default 'webhook',
  -- What an event names, where that could be a payment of ours: how it is found by one that appears later.
  add column named_payment uuid,
  add column gateway_ref text,
  -- When its outcome was decided: later than it was received, for what had to wait. Null: then.
  add column decided_at timestamptz,
  add constraint webhook_events_source_check check (source in ('webhook', 'lookup')) not valid;

-- When the gateway is asked about what is still open, and how often it was.
alter table payments.payments
  add column lookup_at timestamptz,
  add column lookups integer not null default 0;
alter table payments.transactions
  add column lookup_at timestamptz,
  add column lookups integer not null default 0;

-- To be asked about changes nothing of a payment: its `updated_at` stays. Comes after the trigger
-- `payments_guarded` by its name.
create function payments.payment_lookup_planned() returns trigger language plpgsql as $$
begin
  new.updated_at := old.updated_at;
  return new;
end $$;
create trigger payments_lookup_planned before update of lookup_at on payments.payments
  for each row when (old.status = new.status and old.gateway_ref is not distinct from new.gateway_ref)
  execute function payments.payment_lookup_planned();

-- What a cardholder's bank takes back, or tries to. The payment's status stays as it is.
create table payments.disputes (
  id uuid primary key,
  payment_id uuid not null references payments.payments (id),
  org_id text not null,
  -- The gateway's own id.
  gateway_ref text not null check (length(gateway_ref) between 1 and 255),
  status text not null check (status in ('opened', 'won', 'lost', 'withdrawn')),
  amount bigint not null check (amount > 0),
  currency text not null,
  reason text,
  -- Until when the gateway takes evidence.
  evidence_due_at timestamptz,
  opened_at timestamptz not null default posthorn.now(),
  closed_at timestamptz,
  unique (payment_id, gateway_ref),
  check ((status = 'opened') = (closed_at is null))
);
create index disputes_listed on payments.disputes (org_id, payment_id);

-- No code path can break these: a dispute is about its payment's money and ends once.
create function payments.dispute_guarded() returns trigger language plpgsql as $$
declare
  disputed payments.payments;
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.payment_id, new.org_id, new.gateway_ref, new.amount, new.currency)
       is distinct from
       (old.id, old.payment_id, old.org_id, old.gateway_ref, old.amount, old.currency) then
      raise exception 'dispute %: what it is about cannot change', old.id
        using errcode = 'check_violation', constraint = 'dispute_fixed';
    end if;
    if new.status <> old.status and old.status <> 'opened' then
      raise exception 'dispute %: % cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'dispute_moves';
    end if;
    return new;
  end if;
  select * into disputed from payments.payments where id = new.payment_id;
  if new.amount > disputed.amount or new.currency <> disputed.currency
     or new.org_id <> disputed.org_id then
    raise exception 'dispute %: % % is not of payment %, of % %', new.id, new.amount, new.currency,
                    disputed.id, disputed.amount, disputed.currency
      using errcode = 'check_violation', constraint = 'dispute_within_payment';
  end if;
  return new;
end $$;
create trigger disputes_guarded before insert or update on payments.disputes
  for each row execute function payments.dispute_guarded();

-- The money of each payment, in minor units: what was taken, what of it went back, and what is left.
create view payments.ledger as
  select p.id as payment_id, p.org_id, p.currency, sums.taken, sums.refunded, sums.disputed,
         sums.taken - sums.refunded - sums.disputed as net
    from payments.payments as p
   cross join lateral (
     select case when p.status in ('succeeded', 'refunded') then coalesce(p.captured_amount, p.amount)
                 else 0 end as taken,
            -- Before refunds were confirmed one by one, the payment alone said that all went back.
            case when p.status = 'refunded' then coalesce(p.captured_amount, p.amount)
                 else (select coalesce(sum(r.amount), 0)::bigint
                         from payments.transactions as r
                        where r.payment_id = p.id and r.type = 'refund'
                          and r.status = 'succeeded' and r.confirmed_at is not null)
             end as refunded,
            (select coalesce(sum(d.amount), 0)::bigint
               from payments.disputes as d
              where d.payment_id = p.id and d.status in ('opened', 'lost')) as disputed
   ) as sums;
