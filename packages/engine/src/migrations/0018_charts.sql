-- What charts show beside the counts of a minute: counts by name, {"HTTP_503": 12}. Latency is from a
-- message's commit, or from when it was due, to its delivery; bucket n ends at 2^(n/2) milliseconds.
alter table posthorn.pulse
  add column latency jsonb,
  add column codes jsonb,
  add column answered jsonb,
  add column unanswered jsonb;

create function posthorn.add_counts(one jsonb, other jsonb) returns jsonb
  language sql immutable parallel safe
  return (
    select jsonb_object_agg(key, n)
      from (select key, sum(value::bigint) as n
              from (select key, value from jsonb_each_text(coalesce(one, '{}'))
                    union all
                    select key, value from jsonb_each_text(coalesce(other, '{}'))) as counted
             group by key) as added);

alter table posthorn.relay add column version text;

-- When relays began, with the version that was deployed: charts mark it.
create table posthorn.relay_start (
  at timestamptz not null default date_trunc('minute', now()),
  relay text not null,
  version text,
  primary key (at, relay)
);

-- How far each consumer group was behind, the most of each minute.
create table posthorn.consumer_sample (
  topic text not null,
  group_name text not null,
  at timestamptz not null default date_trunc('minute', now()),
  lag bigint not null,
  primary key (topic, group_name, at)
);
