-- Topics in Postgres: durable, partitioned, read by consumer groups.

create table posthorn.topic (
  name text primary key,
  partitions int not null check (partitions between 1 and 1000),
  created_at timestamptz not null default now()
);

-- One row a partition. Who appends holds its row lock until the commit, so offsets appear in the
-- order in which transactions commit: a reader that has seen offset n has seen everything below.
create table posthorn.topic_partition (
  topic text not null references posthorn.topic,
  partition int not null check (partition >= 0),
  next_offset bigint not null default 0 check (next_offset >= 0),
  primary key (topic, partition)
) with (fillfactor = 50); -- room on the page: the row is updated at every append (HOT)

-- Append-only. `json`, not `jsonb`: what was sent comes back as it was, also \u0000 in a text.
create table posthorn.topic_message (
  topic text not null,
  partition int not null,
  log_offset bigint not null,
  id text not null,
  type text not null,
  version int not null,
  key text,
  tenant text,
  occurred_at timestamptz not null check (isfinite(occurred_at)),
  traceparent text,
  headers json not null check (json_typeof(headers) = 'object'),
  payload json not null,
  appended_at timestamptz not null default now(),
  primary key (topic, partition, log_offset)
);
comment on column posthorn.topic_message.payload is 'personal';
comment on column posthorn.topic_message.headers is 'personal';
comment on table posthorn.topic_message is 'not personal: topic, id, type, key, tenant, traceparent';

-- A process that reads, alive until its lease ends. Leases are real time, never the business clock's.
create table posthorn.topic_reader (
  id uuid primary key,
  until timestamptz not null
) with (fillfactor = 50); -- updated at every heartbeat (HOT)

-- Who reads, as long as its process does.
create table posthorn.topic_group_member (
  topic text not null references posthorn.topic,
  group_name text not null,
  member uuid not null,
  reader uuid not null references posthorn.topic_reader on delete cascade,
  primary key (topic, group_name, member)
);

-- Where a group is in each partition, and which member holds it. `token` grows with every change of
-- hands: what an earlier holder still wants to commit no longer fits.
create table posthorn.topic_group_partition (
  topic text not null,
  group_name text not null,
  partition int not null,
  committed_offset bigint not null default 0 check (committed_offset >= 0),
  member uuid,
  token bigint not null default 0,
  primary key (topic, group_name, partition),
  foreign key (topic, partition) references posthorn.topic_partition
) with (fillfactor = 50);
