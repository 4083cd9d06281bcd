import { refused, type Delivery, type Outcome, retryLater, unreachable } from '@posthorn/engine'
import { type DeliverOptions } from '@posthorn/engine/internal'
import { abortedOutcome, createGate, heldBackOutcome, type Gate } from './gate.ts'
import { TransportError } from '../errors.ts'
import type { LazyClient } from '../queue/lazy-client.ts'
import { within } from '../timing.ts'

export interface WaveParts<Written> {
  /** A message as the broker takes it; throws for one that can never be sent. */
  write(delivery: Delivery): Written
  /** Sends all at once and waits for the word on each, in their order. */
  publish(wave: readonly Written[]): Promise<readonly Outcome[]>
}

/** Delivers a batch to a broker that confirms each message by itself. */
export async function deliverInWaves<Written>(
  batch: readonly Delivery[],
  { ordered, signal }: DeliverOptions,
  { write, publish }: WaveParts<Written>,
): Promise<Outcome[]> {
  const outcomes = new Map<Delivery, Outcome>()
  const gate = createGate(ordered)
  const settle = (delivery: Delivery, outcome: Outcome): void => {
    outcomes.set(delivery, outcome)
    gate.note(delivery, outcome)
  }
  for (let rest = batch; rest.length > 0;) {
    const { wave, later } = nextWave(rest, { ordered, gate })
    rest = later
    const ready = new Map<Delivery, Written>()
    for (const delivery of wave) {
      try {
        ready.set(delivery, write(delivery))
      } catch (error) {
        settle(delivery, refused(error))
      }
    }
    const answers = signal.aborted ? [] : await publish([...ready.values()])
    ;[...ready.keys()].forEach((delivery, i) => settle(delivery, answers[i] ?? abortedOutcome()))
  }
  return batch.map((delivery) => outcomes.get(delivery) ?? heldBackOutcome())
}

/**
 * What may be published together. In an ordered batch a key's next message goes out only when the
 * one before is confirmed: in a pipeline, a nack or a return in the middle would come too late to
 * stop what is behind it, and a later message would overtake. Many keys still make large waves.
 */
function nextWave(
  rest: readonly Delivery[],
  { ordered, gate }: { ordered: boolean; gate: Gate },
): { wave: Delivery[]; later: Delivery[] } {
  const wave: Delivery[] = []
  const later: Delivery[] = []
  const keys = new Set<string>()
  for (const delivery of rest) {
    const { key } = delivery.message
    if (!gate.admits(delivery)) continue
    if (ordered && key !== undefined && keys.has(key)) later.push(delivery)
    else wave.push(delivery)
    if (key !== undefined) keys.add(key)
  }
  return { wave, later }
}

interface PublishParts<Ready, Written> {
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
    publishAll: (ready) => sendAll(wave, { connection, timeoutMs }, (each) => send(ready, each)),
  })
}

/** Sends all messages at once and waits for the word on each; where none comes, the connection ends. */
export async function sendAll<Written>(
  wave: readonly Written[],
  { connection, timeoutMs }: Pick<PublishParts<unknown, Written>, 'connection' | 'timeoutMs'>,
  send: (written: Written) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes = wave.map((): Outcome => retryLater(new TransportError('DELIVERY_TIMEOUT')))
  const answers = wave.map(async (written, i) => {
    outcomes[i] = await send(written).catch((error) => retryLater(error))
  })
  await within(Promise.all(answers), timeoutMs, () => connection.drop())
  return [...outcomes]
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
