import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { PosthornError, toMs, type Duration } from '@posthorn/engine'
import { advanceClock } from '@posthorn/operate'
import { invalid, problem } from '@posthorn/http'
import { selectClock } from './sql/clock.ts'

const DAY_MS = 86_400_000
const MOST_AT_ONCE_MS = 400 * DAY_MS
/** Past this a date no longer fits into what computes with it, and the clock has no way back. */
const MOST_AHEAD_MS = 36_500 * DAY_MS

const Advance = Type.Object(
  {
    by: Type.String({
      pattern: '^\\d{1,12}(\\.\\d{1,6})?(ms|s|m|h|d)$',
      description: 'Duration such as `6h`',
    }),
  },
  { additionalProperties: false },
)

/** `/sim/clock`: moves the business clock of every client of this database. */
export function clockRoutes(app: FastifyInstance, pool: Pool): void {
  app.get('', { schema: { summary: 'The time of the business clock' } }, () => readClock(pool))

  app.post<{ Body: Static<typeof Advance> }>(
    '/advance',
    { schema: { summary: 'Move the business clock forward and wake every relay', body: Advance } },
    async (request) => {
      const by = request.body.by as Duration
      const ms = toMs(by)
      if (ms <= 0 || ms > MOST_AT_ONCE_MS) throw refusal('must be more than 0 and at most 400d')
      const { aheadMs } = await readClock(pool)
      if (aheadMs + ms > MOST_AHEAD_MS) throw refusal('would put the clock over 100 years ahead')
      return { now: await advance(pool, by) }
    },
  )
}

const refusal = (reason: string) => invalid([{ field: 'by', reason }])

export async function readClock(pool: Pool): Promise<{ now: Date; aheadMs: number }> {
  const { rows } = await pool.query<{ now: Date; ahead_ms: number }>(selectClock)
  const clock = rows[0]
  if (!clock) throw new Error('The business clock has no row: are the migrations applied?')
  return { now: clock.now, aheadMs: clock.ahead_ms }
}

async function advance(pool: Pool, by: Duration): Promise<Date> {
  try {
    return await advanceClock(pool, by, { actor: 'simulator' })
  } catch (error) {
    if (!(error instanceof PosthornError) || error.code !== 'CLOCK_FIXED') throw error
    throw problem('CONFLICT', { detail: error.message, cause: error })
  }
}
