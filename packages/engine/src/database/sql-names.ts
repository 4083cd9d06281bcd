// How the names of tables and columns stand in SQL text. A definition has them as the catalogue does, and so
// do rows: `createdAt`. SQL reads that as `createdat` unless it is quoted. Plain lower-case names are not.

/** A table with its schema, as the database has it: `shop.outbox`, `public.OutboxEvent`. */
export type TableName = `${string}.${string}`

/** Words of PostgreSQL 13 to 18 that name a table or column only in quotes; a test asks the server. */
const RESERVED: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate
   collation column concurrently constraint create cross current_catalog current_date current_role
   current_schema current_time current_timestamp current_user default deferrable desc distinct do else end
   except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into
   is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on
   only or order outer overlaps placing primary references returning right select session_user similar some
   symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when
   where window with`.split(/\s+/),
)

/** Longest name that PostgreSQL keeps whole, in bytes. */
const MAX_BYTES = 63

/** What a name in a definition may be, as people are answered. */
export const NAME_RULE = `letters, digits, "_" and "-", up to ${MAX_BYTES} bytes, without quotes`

/**
 * Whether a column may be called so in a definition. Quotes and dots are none of a name's characters: it is given
 * bare, and a dot stands behind a schema.
 */
export function isName(name: string): boolean {
  if (typeof name !== 'string' || Buffer.byteLength(name) > MAX_BYTES) return false
  return /^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u.test(name)
}

/** The same for a table with its schema. */
export function isTable(table: string): table is TableName {
  if (typeof table !== 'string') return false
  const parts = table.split('.')
  return parts.length === 2 && parts.every(isName)
}

/** One name as it stands in SQL text; any that the catalogue can have. */
export function spell(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name
  return `"${name.replaceAll('"', '""')}"`
}

/** A table with its schema, as a definition has it: `public.OutboxEvent` is `public."OutboxEvent"`. */
export function spellTable(table: TableName): TableName {
  const [schema = '', name = ''] = table.split('.')
  return `${spell(schema)}.${spell(name)}`
}

/** The name as the catalogue has it, of one that was spelled or was not. */
export function bare(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
}

/** A spelled table's own name, as the catalogue has it. */
export function bareTable(table: string): string {
  return bare(table.split('.')[1] ?? table)
}

/** A spelled table's schema, still spelled. */
export function schemaOf(table: string): string {
  return table.split('.')[0] as string
}

/** Another table of the same schema, called after it: `shop.outbox` and `_log`. */
export function beside(table: string, suffix: string): TableName {
  return `${schemaOf(table)}.${spell(`${bareTable(table)}${suffix}`)}`
}
