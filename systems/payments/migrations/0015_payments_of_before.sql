-- What events and payments of before the new columns have in them.
update payments.webhook_events
   set named_payment = (payload -> 'data' ->> 'paymentId')::uuid
 where outcome = 'unknown_payment' and named_payment is null
   and payload -> 'data' ->> 'paymentId' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
update payments.webhook_events
   set gateway_ref = left(payload -> 'data' ->> 'gatewayRef', 255)
 where outcome = 'unknown_payment' and gateway_ref is null
   and payload -> 'data' ->> 'paymentId' is null;

update payments.payments set lookup_at = created_at
 where status = 'pending' and lookup_at is null;
update payments.transactions set lookup_at = created_at
 where type = 'refund' and status = 'succeeded' and confirmed_at is null and lookup_at is null
   and payment_id in (select id from payments.payments where status = 'succeeded');
