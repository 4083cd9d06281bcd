import type { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import { poolHandle } from '../database/pool-handle.ts'
import type { Outbox } from '../outbox/define.ts'
import { Session } from '../relay/session/session.ts'

/** The session of a relay that runs one outbox and says that it is alive only where the test says so. */
export async function testSession(pool: Pool, outbox: Outbox, relay = 'test'): Promise<Session> {
  const handle = poolHandle(pool, { prepare: false })
  const session = new Session({ handle, relay, outboxes: [outbox] })
  await session.begin([outbox.name])
  onTestFinished(() => session.end())
  return session
}
