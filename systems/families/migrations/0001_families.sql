-- Families, their members, the invitations to join them, and what happened to them as events.
create schema families;

create table families.families (
  id uuid primary key,
  org_id text not null,
  name text not null check (length(name) between 1 and 100),
  version integer not null check (version > 0),
  -- Each invitation mail moves it on, from now or from where it is, whichever is later; a mail is
  -- refused while it is too far ahead. See `mail-allowance.ts`.
  mailed_until timestamptz,
  created_at timestamptz not null default posthorn.now()
);
comment on table families.families is 'not personal: org_id, name';

create table families.family_members (
  family_id uuid not null references families.families (id),
  user_id text not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'MEMBER')),
  -- The address that was invited; unknown of whoever founded the family.
  email text,
  joined_at timestamptz not null default posthorn.now(),
  primary key (family_id, user_id)
);
create unique index family_members_owner on families.family_members (family_id)
  where role = 'OWNER';
create unique index family_members_address on families.family_members (family_id, lower(email));
comment on column families.family_members.email is 'personal';
comment on table families.family_members is 'not personal: user_id';

-- The partial unique index lets a family have one owner at most; this, one at least. It looks at the
-- commit, since ownership moves in two steps.
create function families.require_owner() returns trigger language plpgsql as $$
declare
  family uuid;
begin
  if tg_op = 'INSERT' then
    family := new.id;
  else
    family := old.family_id;
  end if;
  if exists (select 1 from families.families where id = family)
     and not exists (select 1 from families.family_members where family_id = family and role = 'OWNER')
  then
    raise exception 'family % has no owner', family
      using errcode = 'check_violation', schema = 'families', table = 'family_members',
            constraint = 'family_members_owned';
  end if;
  return null;
end
$$;
create constraint trigger family_members_owned
  after update or delete on families.family_members
  deferrable initially deferred for each row when (old.role = 'OWNER')
  execute function families.require_owner();
create constraint trigger families_owned
  after insert on families.families
  deferrable initially deferred for each row
  execute function families.require_owner();

create table families.family_member_invitations (
  id uuid primary key,
  family_id uuid not null references families.families (id),
  email text not null check (length(email) <= 254),
  -- Nobody is invited to own a family.
  role text not null check (role in ('ADMIN', 'MEMBER')),
  -- SHA-256. The token itself is in no table but, sealed, in the event that is still to be sent.
  token_hash bytea not null unique check (length(token_hash) = 32),
  -- An invitation past its expiry is EXPIRED whether this says so or not; it says so once the address is
  -- invited again.
  status text not null default 'PENDING'
    check (status in ('PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED', 'DECLINED')),
  expires_at timestamptz not null,
  -- As that of families, for one address.
  mailed_until timestamptz,
  invited_by text not null,
  accepted_by text,
  declined_by text,
  version integer not null check (version > 0),
  created_at timestamptz not null default posthorn.now(),
  check ((status = 'ACCEPTED') = (accepted_by is not null)),
  constraint family_member_invitations_declined_check
    check ((status = 'DECLINED') = (declined_by is not null))
);
create unique index family_member_invitations_open
  on families.family_member_invitations (family_id, lower(email)) where status = 'PENDING';
create index family_member_invitations_family
  on families.family_member_invitations (family_id, created_at);
-- The allowance of an address outlives its invitation: to revoke and invite again buys no mail.
create index family_member_invitations_address
  on families.family_member_invitations (family_id, lower(email), mailed_until);
comment on column families.family_member_invitations.email is 'personal';
comment on column families.family_member_invitations.invited_by is 'personal';
comment on column families.family_member_invitations.accepted_by is 'personal';
comment on column families.family_member_invitations.declined_by is 'personal';
comment on table families.family_member_invitations is 'not personal: token_hash';

create table families.outbox_events (
  event_id uuid primary key,
  event_type varchar(255) not null,
  event_version integer not null default 1,
  aggregate_type varchar(255) not null,
  aggregate_id uuid not null,
  payload jsonb not null,
  processed_at timestamptz,
  -- 0 Pending, 1 Processed, 2 Failed: an operator has given it up.
  status integer not null default 0 check (status in (0, 1, 2)),
  retry_count integer not null default 0,
  error_message text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  org_id text not null,
  next_attempt_at timestamptz not null default posthorn.now(),
  traceparent text,
  finished_at timestamptz,
  lost_claims smallint not null default 0,
  quarantined_at timestamptz,
  seq bigint generated always as identity,
  bucket smallint not null generated always as (posthorn.bucket_of(aggregate_id::text)) stored,
  held boolean not null default false,
  check ((status = 1) = (processed_at is not null)),
  check ((status = 0) = (finished_at is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

create index ix_outbox_events_status_created_at on families.outbox_events (status, created_at);
create index ix_outbox_events_created_at on families.outbox_events (created_at);
create index outbox_events_flow on families.outbox_events (bucket, seq)
  where status = 0 and quarantined_at is null and not held;
create index outbox_events_held on families.outbox_events ((aggregate_id::text), seq)
  where held and status = 0 and quarantined_at is null;
create index outbox_events_quarantined on families.outbox_events (event_id)
  where quarantined_at is not null;
create index outbox_events_finished on families.outbox_events (finished_at)
  where status in (1, 2);
comment on column families.outbox_events.payload is 'personal';
comment on column families.outbox_events.error_message is 'personal';
comment on table families.outbox_events is
  'not personal: event_type, aggregate_type, org_id, traceparent';

-- Here and not in the code: whoever ends an event, relay or operator, takes the token out of it.
create function families.touch_event() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  if new.status <> 0 then
    new.payload := new.payload - 'token';
  end if;
  return new;
end
$$;
create trigger outbox_events_touched before update on families.outbox_events
  for each row execute function families.touch_event();

create table families.consumer_inbox (
  consumer text not null,
  event_id text collate "C" not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
);
-- Ids that carry no time; empty as long as all of ours do.
create index consumer_inbox_others on families.consumer_inbox (received_at)
  where not (event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$');
comment on table families.consumer_inbox is 'not personal: consumer, event_id';
