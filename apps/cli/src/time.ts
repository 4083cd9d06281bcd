import { toMs, type Duration, type Queryable } from '@posthorn/engine'
import { selectNow } from './queries.ts'

/** A time as written, or so long ago by the database's clock, which dates the messages too. */
export async function timeOf(db: Queryable, text: string): Promise<Date> {
  if (!/^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text)) return new Date(text)
  const now = await selectNow(db)
  return new Date(now.getTime() - toMs(text as Duration))
}
