-- concurrently
-- Alerts whose cause goes on, by that cause: incidents are made of them.
create index concurrently if not exists alert_standing on posthorn.alert (source, code) where recovered_at is null;
