/** A table that grows, as the version before has it. */
export interface LargeTable {
  readonly name: string
  /** It grows with every message, payment or row of a file; the others have a tenth of that. */
  readonly isLargest?: true
  /** Inserts rows with the numbers from $1 to $2. */
  readonly insert: string
}

/** The indexes of table $1 that are no constraints; of one in partitions they stay. */
export const indexesOf = `
  select 'drop index ' || i.indexrelid::regclass as drop, pg_get_indexdef(i.indexrelid) as create
    from pg_index as i
    join pg_class as t on t.oid = i.indrelid and t.relkind = 'r'
   where i.indrelid = $1::regclass
     and not exists (select from pg_constraint as c where c.conindid = i.indexrelid)`

export const megabytesOfDatabase = `
  select (pg_database_size(current_database()) / 1048576)::int as megabytes`

/** Tables that later migrations name, and that grow. A test says which are missing here. */
export const largeTables: readonly LargeTable[] = [
  {
    name: 'parcels.parcel',
    isLargest: true,
    insert: `
      insert into parcels.parcel (id, org_id, status, grams)
      select n, 'org-' || n % 50, case when n % 1000 = 0 then 'waiting' else 'delivered' end, 1 + n % 900
        from generate_series($1::bigint, $2::bigint) as n`,
  },
  {
    name: 'parcels.scan',
    insert: `
      insert into parcels.scan (parcel_id, place)
      select n, 'depot ' || n % 300 from generate_series($1::bigint, $2::bigint) as n`,
  },
]

/** Tables that later migrations name, and why they do not grow large. */
export const smallTables: Readonly<Record<string, string>> = {}
