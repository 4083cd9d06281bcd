/** The table of the test's letters, before the engine adds its part. */
export const letterTable = `
  create schema letters;
  create table letters.letter (
    id uuid primary key,
    org_id text not null,
    reader text not null,
    type text not null,
    token text not null default 'hush',
    status text not null default 'written',
    attempts integer not null default 0,
    due_at timestamptz not null default posthorn.now(),
    error text,
    error_code text,
    created_at timestamptz not null default now()
  );`

/** A replay of letters that waits for its rate. */
export const longReplay = `
  insert into posthorn.replay (id, outbox, filter, per_second, matched, wanted, replayed, actor, next_batch_at)
  values ('01890a5d-ac96-774b-bcce-b302099a8057', 'test.letters', '{}', 1, 20000, 20000, 10000, 'eve',
          posthorn.now() + interval '1 h')`
