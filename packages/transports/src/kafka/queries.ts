import { sql } from '@posthorn/engine'

/** A header by the column that it has to itself. */
export interface HeaderColumn {
  readonly header: string
  readonly column: string
}

/** What is left of the headers' own column, under which no header can be kept. */
export const OTHER_HEADERS = 'other_headers'

/**
 * Gives headers that stand together in one `jsonb` column a column each, filled by a trigger: a generated
 * column is not in the log that Debezium reads before PostgreSQL 18. Names of headers are checked before.
 */
export function headerColumnsSql(
  table: string,
  together: string,
  each: readonly HeaderColumn[],
): string {
  const name = (text: string): string => sql`${sql.id(text)}`.text
  const makeTrigger = `${table}_headers`
  const from = `new.${name(together)}`
  const headers = each.map(({ header }) => `'${header}'`).join(', ')
  return `alter table ${name(table)}
${each.map(({ column }) => `  add column if not exists ${name(column)} text,`).join('\n')}
  add column if not exists ${OTHER_HEADERS} jsonb;
create or replace function ${name(makeTrigger)}() returns trigger language plpgsql as $$
begin
${each.map(({ header, column }) => `  new.${name(column)} := ${from} ->> '${header}';`).join('\n')}
  new.${OTHER_HEADERS} := nullif(${from} - array[${headers}], '{}');
  return new;
end $$;
create or replace trigger split_headers before insert on ${name(table)}
  for each row when (${from} is not null) execute function ${name(makeTrigger)}();
`
}
