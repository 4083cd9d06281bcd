import { delivered, retryLater, unreachable, type Outcome } from '@posthorn/engine'
import { publishPrepared, sendAll, type WaveParts } from '../deliver/wave.ts'
import { TransportError, UnreachableError } from '../errors.ts'
import { partitionOfKey } from '../names.ts'
import { within } from '../timing.ts'
import { type Connection, type RedisClient, findTopic, keysOf, type TopicKeys } from './streams.ts'
import type { Publication } from './wire.ts'

interface PublisherOptions {
  readonly connection: Connection
  readonly timeoutMs: number
  readonly prefix: string
  /** Of topics that do not exist yet; undefined: they are not made. */
  readonly partitions: number | undefined
  /** Entries older than this are trimmed; 0: none are. */
  readonly keepMs: number
  /** So many replicas must have a message before it counts as delivered. */
  readonly replicas: number
}

/** A topic as it was found. */
interface Found {
  readonly keys: TopicKeys
  readonly partitions: number
}

/** What a server says that is out of memory, or cannot write to its disk. */
const BLOCKED = /^(OOM|MISCONF)\b/
/** What one says that does not lead, or not yet. */
const NOT_LEADING = /^(READONLY|LOADING|MASTERDOWN|NOREPLICAS)\b/

/** Publishes all at once and waits for the word on each. */
export function createPublisher(options: PublisherOptions): WaveParts<Publication>['publish'] {
  const { connection, timeoutMs, prefix, keepMs, replicas } = options
  const topics = new Map<string, Found>()
  let turn = 0
  /** The server's own clock, as its last answer told it: ours may be wrong by more than `keepMs`. */
  let serverMs = 0

  /** Finds the topics of a wave; `unusable` has the outcome for those that cannot be used. */
  const prepare = async (wave: readonly Publication[]) => {
    const client = await connection.open()
    const unusable = new Map<string, Outcome>()
    for (const topic of new Set(wave.map((publication) => publication.topic))) {
      if (topics.has(topic)) continue
      try {
        const keys = keysOf(prefix, topic)
        const partitions = await findTopic(client, keys, options.partitions)
        if (partitions > 0) topics.set(topic, { keys, partitions })
        else unusable.set(topic, retryLater(new TransportError('TOPIC_MISSING')))
      } catch (error) {
        if (!client.isReady) throw new UnreachableError('connection lost', { cause: error })
        unusable.set(topic, outcomeOf(error))
      }
    }
    return { client, unusable }
  }

  const add = async (client: RedisClient, publication: Publication): Promise<Outcome> => {
    const { topic, key, fields } = publication
    const found = topics.get(topic)
    if (!found) return retryLater(new TransportError('TOPIC_MISSING'))
    const { keys, partitions } = found
    const partition = key === undefined ? turn++ % partitions : partitionOfKey(key, partitions)
    const trim = keepMs > 0 && serverMs > keepMs ? ['MINID', '~', String(serverMs - keepMs)] : []
    const command = ['XADD', keys.stream(partition), 'NOMKSTREAM', ...trim, '*', ...fields]
    try {
      const id = await client.sendCommand<string | null>(command)
      if (id !== null) {
        serverMs = Number.parseInt(id, 10)
        return delivered({ partition, id })
      }
      // Deleted under us: it is looked for again.
      topics.delete(topic)
      return retryLater(new TransportError('TOPIC_MISSING'))
    } catch (cause) {
      // The server may have taken it: a lost connection also loses the answer.
      if (!client.isReady) {
        return retryLater(new TransportError('CONNECTION_LOST', undefined, { cause }))
      }
      return outcomeOf(cause)
    }
  }

  /** Those who wait for messages hear that some have come; who misses it finds them a little later. */
  const ring = (client: RedisClient, wave: readonly Publication[]): void => {
    for (const topic of new Set(wave.map((publication) => publication.topic))) {
      const bell = topics.get(topic)?.keys.bell
      if (bell !== undefined) client.publish(bell, '').catch(() => undefined)
    }
  }

  const publishAll = async (
    { client, unusable }: Awaited<ReturnType<typeof prepare>>,
    wave: readonly Publication[],
  ): Promise<Outcome[]> => {
    const sending = sendAll(
      wave,
      { connection, timeoutMs },
      async (publication) => unusable.get(publication.topic) ?? add(client, publication),
    )
    // Behind the entries, on the same connection.
    ring(client, wave)
    const outcomes = await sending
    if (replicas === 0 || !outcomes.some(({ kind }) => kind === 'delivered')) return outcomes
    return replicated(client, outcomes)
  }

  const replicated = async (client: RedisClient, outcomes: Outcome[]): Promise<Outcome[]> => {
    const asked = client.wait(replicas, timeoutMs).catch(() => 0)
    const have = await within(asked, 2 * timeoutMs, () => 0)
    if (have >= replicas) return outcomes
    const says = `${have} of ${replicas} replicas have it`
    return outcomes.map((outcome) =>
      outcome.kind === 'delivered' ? retryLater(new TransportError('NACKED', says)) : outcome,
    )
  }

  return (wave) => publishPrepared(wave, { connection, timeoutMs, prepare, publishAll })

  function outcomeOf(error: unknown): Outcome {
    const { message } = error as Error
    if (BLOCKED.test(message)) {
      return retryLater(new TransportError('BROKER_BLOCKED', message), { unreachable: true })
    }
    if (!NOT_LEADING.test(message)) return retryLater(error)
    // Another one leads by now, at the same address.
    connection.drop()
    return unreachable(new UnreachableError(message, { cause: error }))
  }
}
