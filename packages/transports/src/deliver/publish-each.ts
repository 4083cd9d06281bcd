import { retryLater, unreachable, type Outcome } from '@posthorn/engine'
import { TransportError } from '../errors.ts'
import type { LazyClient } from '../queue/lazy-client.ts'
import { within } from '../timing.ts'

export interface PublishParts<Ready, Written> {
  readonly connection: LazyClient<unknown>
  /** For all to be ready, and again for the word on each message. */
  readonly timeoutMs: number
  /** No message leaves: if it fails, no attempt is counted. */
  prepare(wave: readonly Written[]): Promise<Ready>
  /** After an error the message may have arrived: it is sent again, and consumers know its id. */
  send(ready: Ready, written: Written): Promise<Outcome>
}

/** Publishes each message of a wave by itself, all at once, and waits for the word on each. */
export async function publishEach<Ready, Written>(
  wave: readonly Written[],
  { connection, timeoutMs, prepare, send }: PublishParts<Ready, Written>,
): Promise<readonly Outcome[]> {
  return publishPrepared(wave, {
    ...{ connection, timeoutMs, prepare },
    async publishAll(ready) {
      const outcomes = wave.map((): Outcome => retryLater(new TransportError('DELIVERY_TIMEOUT')))
      const answers = wave.map(async (written, i) => {
        outcomes[i] = await send(ready, written).catch((error) => retryLater(error))
      })
      await within(Promise.all(answers), timeoutMs, () => connection.drop())
      return [...outcomes]
    },
  })
}

/** Publishes a wave once all is ready for it; until then no message has left, and none is charged. */
export async function publishPrepared<Ready, Written>(
  wave: readonly Written[],
  {
    connection,
    timeoutMs,
    prepare,
    publishAll,
  }: Omit<PublishParts<Ready, Written>, 'send'> & {
    /** Must not throw: some messages may have left. */
    publishAll(ready: Ready, wave: readonly Written[]): Promise<readonly Outcome[]>
  },
): Promise<readonly Outcome[]> {
  if (wave.length === 0) return []
  try {
    return await publishAll(await connection.within(prepare(wave), timeoutMs), wave)
  } catch (error) {
    return wave.map(() => unreachable(error))
  }
}
