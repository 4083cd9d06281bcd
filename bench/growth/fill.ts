import type { Pool } from 'pg'
import { PAYLOAD_BYTES } from '../kit/payload.ts'

/** What stands in the outbox before a measurement. */
export interface Filling {
  readonly waiting: number
  readonly keys: number
  readonly payloadBytes: number
  /** Rows that were sent long ago. */
  readonly finished: number
}

export const USUAL: Filling = {
  waiting: 100_000,
  keys: 1_000,
  payloadBytes: PAYLOAD_BYTES,
  finished: 0,
}

/** Rows a statement. */
const CHUNK = 250_000
const EMPTY_BYTES = JSON.stringify({ body: '' }).length

/*
 * Made by the server, so that millions take minutes. Ids rise as they do with `enqueue`; keys are drawn
 * evenly. Bodies are hexadecimal from random bytes, so that large ones compress as little as real ones.
 */
const insertInto = (log: string | undefined) => `
  insert into ${log === undefined ? 'bench.outbox (id, key, payload, status, sent_at)' : `${log} (id, key, payload)`}
  select uuidv7(),
         'key-' || (hashint8(i) & 2147483647) % $3::int,
         jsonb_build_object('body', left(repeat(encode(noise.bytes, 'hex'), ceil($4::int / 64000.0)::int), $4::int))
         ${log === undefined ? `, $6::text, case when $6::text = 'sent' then now() - interval '1 day' end` : ''}
    from generate_series($1::bigint, $2::bigint) as i,
         lateral (select substr($5::bytea, 1 + (i * 7 % 32000)::int, least($4::int / 2 + 1, 32000)) as bytes) as noise`

/** Bytes: in text, Postgres would walk to where a body begins, character by character. */
const NOISE = `
  select decode(string_agg(md5(random()::text), ''), 'hex') as noise from generate_series(1, 4000)`

/** Fills the outbox, or its log; `onProgress` hears how many rows are there. */
export async function fill(
  pool: Pool,
  { log, ...filling }: Filling & { readonly log: string | undefined },
  onProgress: (rows: number) => void,
): Promise<void> {
  const { keys, payloadBytes } = filling
  const { rows } = await pool.query<{ noise: Buffer }>(NOISE)
  let done = 0
  for (const [status, count] of [
    ['sent', filling.finished],
    ['pending', filling.waiting],
  ] as const) {
    for (let from = 1; from <= count; from += CHUNK) {
      const to = Math.min(count, from + CHUNK - 1)
      const body = payloadBytes - EMPTY_BYTES
      const values = [from, to, keys, body, rows[0]?.noise]
      await pool.query(insertInto(log), log === undefined ? [...values, status] : values)
      done += to - from + 1
      onProgress(done)
    }
  }
}
