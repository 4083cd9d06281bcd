-- What ordered outboxes need to settle a run once and to keep a blocked key blocked. Everything has a
-- default, so that relays of the version before go on beside those of this one.

-- run numbers the runs of a bucket: a settlement that is repeated finds that its run has ended. A run of
-- waiting keys notes them in run_keys, with the last seq of each in run_uptos.
alter table posthorn.bucket
  add column run bigint not null default 0,
  add column run_keys text[],
  add column run_uptos bigint[];

-- blocked_by are the dead messages that a key without a time waits for; where it is empty, held_by is the
-- only one. suspect: the key's first message comes from a lost claim and is claimed alone.
alter table posthorn.held_key
  add column blocked_by text[] not null default '{}',
  add column suspect boolean not null default false;
-- locks: only keys that wait have a row, and only while they do
create index held_key_suspect on posthorn.held_key (outbox, bucket, due_at)
  where suspect and due_at is not null;
