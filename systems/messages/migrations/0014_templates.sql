-- Templates that organisations have registered: what a message of them must have.
create table messages.template (
  org_id text not null,
  name text not null,
  language text not null,
  category text not null check (category in ('AUTHENTICATION', 'MARKETING', 'UTILITY')),
  -- As the Cloud API has them.
  components jsonb not null,
  status text not null default 'APPROVED',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, name, language)
);

-- What goes to the provider, made of the template and the message; null where it is not registered.
alter table messages.outbound_message add column components jsonb;
