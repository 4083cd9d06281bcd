-- When a delivery was written is told by the real clock, like its attempts and the creation of every
-- other message: a business clock that was moved ahead made it come after them.
alter table payments.webhook_deliveries alter column created_at set default now();
