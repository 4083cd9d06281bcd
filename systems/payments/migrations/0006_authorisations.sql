-- Money that is held before it is taken, payment methods, and events that are translated.

alter table payments.payments
  add column capture_method text not null default 'automatic',
  -- What the gateway charges, by its own name; null: what it is set to.
  add column payment_method text,
  -- Of a manual one, beside its status; null while the gateway has not answered, and if it declined.
  add column authorisation text,
  -- Of a manual one: what was taken of it.
  add column captured_amount bigint,
  add constraint payments_capture_method check (capture_method in ('automatic', 'manual')) not valid,
  add constraint payments_authorisation check (
    authorisation is null
    or authorisation in ('authorised', 'captured', 'voided', 'expired')
       and capture_method = 'manual') not valid,
  add constraint payments_captured check (
    (captured_amount is not null) = (authorisation is not distinct from 'captured')
    and captured_amount between 1 and amount) not valid,
  -- Money is taken by a capture only, and what is set free is not.
  add constraint payments_taken check (
    (capture_method = 'automatic' or status not in ('succeeded', 'refunded')
     or captured_amount is not null)
    and (authorisation is null or authorisation not in ('voided', 'expired') or status = 'failed')
  ) not valid;

-- No code path can break these: an authorisation moves as the picture says,
--   authorised -> captured | voided | expired,
-- where an event may say its end before its beginning; what was captured is written once.
create function payments.authorisation_guarded() returns trigger language plpgsql as $$
begin
  if (new.capture_method, new.payment_method) is distinct from
     (old.capture_method, old.payment_method)
     or old.captured_amount is not null
        and new.captured_amount is distinct from old.captured_amount then
    raise exception 'payment %: how it is taken cannot change', old.id
      using errcode = 'check_violation', constraint = 'payment_fixed';
  end if;
  if old.authorisation is not null and new.authorisation is distinct from old.authorisation
     and (old.authorisation <> 'authorised' or new.authorisation is null) then
    raise exception 'payment %: % cannot become %', old.id, old.authorisation, new.authorisation
      using errcode = 'check_violation', constraint = 'authorisation_moves';
  end if;
  return new;
end $$;
create trigger payments_authorisation_guarded
  before update of capture_method, payment_method, authorisation, captured_amount
  on payments.payments
  for each row execute function payments.authorisation_guarded();

alter table payments.transactions
  drop constraint transactions_type_check,
  add constraint transactions_type_check
    check (type in ('charge', 'authorisation', 'capture', 'void', 'refund')) not valid;

-- As before, with what was captured in the place of what was asked for.
create or replace function payments.refund_guarded() returns trigger language plpgsql as $$
declare
  taken payments.payments;
  most bigint;
  given_back bigint;
begin
  -- Two refunds of a payment are counted one after the other. Not the key: matches of a
  -- reconciliation, which hold it by their foreign key, need not wait.
  select * into taken from payments.payments where id = new.payment_id for no key update;
  most := case taken.capture_method when 'manual' then coalesce(taken.captured_amount, 0)
          else taken.amount end;
  select coalesce(sum(amount), 0) into given_back
    from payments.transactions
   where payment_id = new.payment_id and type = 'refund' and status <> 'failed' and id <> new.id;
  if given_back + new.amount > most or new.currency <> taken.currency then
    raise exception 'payment %: % % cannot be given back beside %, of % %', taken.id, new.amount,
                    new.currency, given_back, most, taken.currency
      using errcode = 'check_violation', constraint = 'refunds_within_payment';
  end if;
  return new;
end $$;

alter table payments.webhook_events
  -- The bytes that it came as, where the payload is a translation of them; else the payload is.
  add column original bytea;
