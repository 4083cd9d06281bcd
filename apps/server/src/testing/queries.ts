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
