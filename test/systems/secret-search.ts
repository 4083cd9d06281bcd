import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secrets } from '@posthorn/server/testing'
import type { Pool } from 'pg'

/** How a secret may look in a text: as it is, in hexadecimal, or inside of something in base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    // Without the characters that hold bits of what stands around it.
    return text.slice(before === 0 ? 0 : before + 1, -2)
  })
  return [secret, bytes.toString('hex'), ...inBase64]
}

/** Finds secrets in texts: `where: which` for each, once. */
export class SecretSearch {
  readonly found = new Set<string>()
  readonly #forms: readonly (readonly [string, readonly string[]])[]
  /** How many characters were looked through. */
  searched = 0

  /** Secrets by what they are called in a report. */
  constructor(secrets: Secrets) {
    this.#forms = Object.entries(secrets).map(([name, secret]) => [name, formsOf(secret)])
  }

  look(where: string, text: string): void {
    this.searched += text.length
    for (const [name, forms] of this.#forms) {
      if (forms.some((form) => text.includes(form))) this.found.add(`${where}: ${name}`)
    }
  }

  /** Every column of every table of a database; bytes are read as hexadecimal. */
  async lookInTables(pool: Pool): Promise<number> {
    const { rows: columns } = await pool.query<{ place: string; name: string; sql: string }>(`
      select format('%I.%I', table_schema, table_name) as place, column_name as name,
             format('select %I::text as value from %I.%I where %1$I is not null',
                    column_name, table_schema, table_name) as sql
        from information_schema.columns join information_schema.tables
             using (table_catalog, table_schema, table_name)
       where table_type = 'BASE TABLE'
         and table_schema not in ('pg_catalog', 'information_schema')
         and data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')`)
    for (const { place, name, sql } of columns) {
      const { rows } = await pool.query<{ value: string }>(sql)
      for (const { value } of rows) this.look(`column ${place}.${name}`, value)
    }
    return columns.length
  }

  async lookInFiles(folder: string): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const bytes = await readFile(path).catch(() => Buffer.alloc(0))
      this.look(`file ${path.slice(folder.length)}`, bytes.toString('latin1'))
    }
  }
}
