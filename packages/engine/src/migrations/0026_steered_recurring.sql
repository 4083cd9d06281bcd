-- Operators pause a recurring message, let it go on, or run it now.
alter table posthorn.recurring
  -- What becomes of missed times, as the definition has it: people read it.
  add column missed text,
  -- Null: it is not paused. By the real clock, as all that operators do.
  add column paused_at timestamptz,
  add column paused_by text,
  add column pause_reason text,
  -- When an operator ran it last beside its schedule, and who.
  add column run_at timestamptz,
  add column run_by text;
