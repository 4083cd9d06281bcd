-- Refunds of a part, and events of the gateway in any order.

-- Several refunds of one payment; their sum is held by the trigger below.
drop index payments.transactions_one_refund;

alter table payments.transactions
  -- Of a refund: when the gateway's webhook said that the money is given back.
  add column confirmed_at timestamptz,
  add constraint transactions_confirmed check (confirmed_at is null or type = 'refund') not valid;

-- No code path gives back more than was taken: refunds that have not failed count, done or not.
create function payments.refund_guarded() returns trigger language plpgsql as $$
declare
  taken payments.payments;
  given_back bigint;
begin
  -- Two refunds of a payment are counted one after the other. Not the key: matches of a
  -- reconciliation, which hold it by their foreign key, need not wait.
  select * into taken from payments.payments where id = new.payment_id for no key update;
  select coalesce(sum(amount), 0) into given_back
    from payments.transactions
   where payment_id = new.payment_id and type = 'refund' and status <> 'failed' and id <> new.id;
  if given_back + new.amount > taken.amount or new.currency <> taken.currency then
    raise exception 'payment %: % % cannot be given back beside %, of % %', taken.id, new.amount,
                    new.currency, given_back, taken.amount, taken.currency
      using errcode = 'check_violation', constraint = 'refunds_within_payment';
  end if;
  return new;
end $$;
create trigger transactions_refund_guarded
  before insert or update of status, amount, currency, payment_id, type on payments.transactions
  for each row when (new.type = 'refund' and new.status <> 'failed')
  execute function payments.refund_guarded();

-- `parked` cannot be applied yet and is looked at again with each later event of its payment;
-- `mismatch` is about another amount, currency or reference than the payment, and moves nothing.
-- Not valid: no long look at old rows, for which the stricter list held.
alter table payments.webhook_events
  -- Why it is parked, forbidden or a mismatch.
  add column reason text,
  drop constraint webhook_events_outcome_check,
  add constraint webhook_events_outcome_check
    check (outcome in ('applied', 'unchanged', 'forbidden', 'kept', 'unknown_payment', 'parked',
                       'mismatch')) not valid;

-- What is sent byte for byte, where it came from elsewhere; null: the payload.
alter table payments.webhook_deliveries add column body text;
