-- Orders and what their participants keep: stock, payments, shipments. Each participant has a row for
-- an order at most, also for one that was cancelled before its command came: the late command finds it.
create table sagas.orders (
  id uuid primary key,
  org_id text not null,
  saga_id uuid not null unique references sagas.saga (id),
  items jsonb not null check (jsonb_typeof(items) = 'array' and jsonb_array_length(items) > 0),
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null default posthorn.now()
);
create index orders_org on sagas.orders (org_id, id);
-- Lists of orders are sorted by amount, in both directions.
create index orders_by_amount on sagas.orders (org_id, amount, id);
comment on table sagas.orders is 'not personal: org_id, items, currency';

create table sagas.stock (
  org_id text not null,
  sku text not null,
  available bigint not null check (available >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  primary key (org_id, sku)
);
comment on table sagas.stock is 'not personal: org_id, sku';

create table sagas.stock_reservation (
  order_id uuid primary key,
  org_id text not null,
  -- Goods that have left are SHIPPED: no longer reserved, and never given back.
  status text not null check (status in ('RESERVED', 'REFUSED', 'RELEASED', 'SHIPPED')),
  items jsonb not null,
  -- Which sku there was too little of.
  missing text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status = 'REFUSED') = (missing is not null))
);
comment on table sagas.stock_reservation is 'not personal: org_id, items, missing';

create table sagas.payment (
  order_id uuid primary key,
  org_id text not null,
  status text not null
    check (status in ('CHARGING', 'CHARGED', 'DECLINED', 'FAILED', 'CANCELLED', 'REFUNDED')),
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- What the gateway charges once for, however often it is asked. Made from the order's id; an index of
  -- its own would let inserts of the same order at once fail on it, past their ON CONFLICT.
  gateway_key text not null,
  gateway_ref text unique,
  refund_ref text unique,
  error_code text,
  error text,
  -- How many have set out to charge, and when (real time) the last of them has ended or is dead.
  calls integer not null default 0,
  calling_until timestamptz,
  -- From here on nobody sets out any more.
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status in ('CHARGED', 'REFUNDED')) = (gateway_ref is not null)),
  check ((status = 'REFUNDED') = (refund_ref is not null)),
  check ((status in ('DECLINED', 'FAILED')) = (error_code is not null)),
  check (status not in ('CANCELLED', 'REFUNDED') or cancelled_at is not null)
);
comment on table sagas.payment is
  'not personal: org_id, currency, gateway_key, gateway_ref, refund_ref, error_code, error';

create table sagas.shipment (
  order_id uuid primary key,
  org_id text not null,
  status text not null check (status in ('BOOKED', 'CANCELLED')),
  tracking_code text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (status <> 'BOOKED' or tracking_code is not null)
);
comment on table sagas.shipment is 'not personal: org_id, tracking_code';

create table sagas.idempotency_keys (
  scope text not null,
  key text not null check (octet_length(key) between 1 and 255),
  fingerprint text not null,
  lock_token uuid,
  locked_until timestamptz,
  locked boolean generated always as (lock_token is not null) stored,
  takeovers integer not null default 0,
  state jsonb,
  response_status integer,
  response_headers json,
  response_body bytea,
  created_at timestamptz not null default posthorn.now(),
  completed_at timestamptz,
  expires_at timestamptz not null,
  primary key (scope, key),
  check ((completed_at is null) = (lock_token is not null)),
  check ((completed_at is null) = (locked_until is not null)),
  check ((completed_at is null) = (response_status is null)),
  check ((completed_at is null) = (response_headers is null)),
  check ((completed_at is null) = (response_body is null))
);
create index idempotency_keys_expired on sagas.idempotency_keys (expires_at);
create index idempotency_keys_stale on sagas.idempotency_keys (locked_until) where completed_at is null;
comment on column sagas.idempotency_keys.key is 'personal';
comment on column sagas.idempotency_keys.state is 'personal';
comment on column sagas.idempotency_keys.response_headers is 'personal';
comment on column sagas.idempotency_keys.response_body is 'personal';
comment on table sagas.idempotency_keys is 'not personal: scope, fingerprint';
