-- The query of an endpoint's URL, sealed, where it has one: values in it often are secrets. The URL
-- itself has a mask for each of them from then on; those from before are sealed by maintenance.
alter table payments.webhook_endpoints add column if not exists url_query text;
