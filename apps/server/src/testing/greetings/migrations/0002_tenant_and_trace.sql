-- Who greets, and in which trace: what a message of a system with an API carries.
alter table example.greeting
  add column org_id text not null default 'demo',
  add column traceparent text;
