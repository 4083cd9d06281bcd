create schema incidents;

-- Alerts of one cause, from the first that was raised until none stands any more.
create table incidents.incident (
  id uuid primary key,
  source text not null,
  code text not null,
  tenant text,
  opened_at timestamptz not null,
  closed_at timestamptz,
  owner text,
  acknowledged_at timestamptz,
  acknowledged_by text,
  snoozed_until timestamptz,
  check ((acknowledged_at is null) = (acknowledged_by is null)),
  check (closed_at is null or closed_at >= opened_at)
);
create unique index incident_open on incidents.incident (source, code, coalesce(tenant, ''))
  where closed_at is null;
create index incident_closed on incidents.incident (closed_at) where closed_at is not null;
create index incident_cause on incidents.incident (source, code, opened_at desc);
comment on column incidents.incident.owner is 'personal';
comment on column incidents.incident.acknowledged_by is 'personal';
comment on table incidents.incident is 'not personal: source, code, tenant';

-- Where notices go. The address of a channel by HTTP is a secret, and so is its key: both are sealed.
create table incidents.channel (
  id uuid primary key,
  -- Whose incidents it hears of; null for those of all.
  tenant text,
  kind text not null check (kind in ('email', 'slack', 'pagerduty')),
  name text not null,
  shown text not null,
  sealed_address text not null,
  sealed_key text,
  created_by text not null,
  created_at timestamptz not null default now(),
  check ((kind = 'pagerduty') = (sealed_key is not null))
);
create unique index channel_name on incidents.channel (coalesce(tenant, ''), name);
comment on table incidents.channel is
  'not personal: tenant, name, shown, sealed_address, sealed_key, created_by';

create table incidents.notice (
  id uuid primary key,
  channel_id uuid not null references incidents.channel (id) on delete cascade,
  incident_id uuid,
  tenant text,
  kind text not null check (kind in ('opened', 'reminder', 'closed', 'test')),
  payload jsonb not null,
  status text not null default 'pending'
    check (status in ('pending', 'failed', 'delivered', 'abandoned')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default posthorn.now(),
  error text,
  error_code text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index notice_due on incidents.notice (next_attempt_at, id)
  where status in ('pending', 'failed');
create index notice_suspect on incidents.notice (next_attempt_at, id)
  where status in ('pending', 'failed') and lost_claims > 0;
create index notice_dead on incidents.notice (created_at) where status = 'abandoned';
create index notice_of_channel on incidents.notice (channel_id, id desc);
comment on column incidents.notice.payload is 'personal';
comment on column incidents.notice.error is 'personal';
comment on table incidents.notice is 'not personal: tenant, error_code';
