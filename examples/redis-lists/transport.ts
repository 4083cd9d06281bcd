import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type RedisClientType as Redis } from '@redis/client'
import { delivered, retryLater, unreachable, uuid, type Message } from '@posthorn/engine'
import * as events from '@posthorn/transports/cloudevents'
import * as kit from '@posthorn/transports/queue'

/** Redis lists: a group is a list of a topic, read by one of its members at a time. */
export function redisLists(url: string, options: kit.QueueTransportOptions): kit.QueueTransport {
  // Attempts are the relay's: nothing is kept for later, and silence ends a connection.
  const socket = { connectTimeout: 3_000, socketTimeout: 3_000, reconnectStrategy: false } as const
  const connection = kit.createLazyClient<Redis>({
    async connect() {
      const client: Redis = createClient({ url, socket, disableOfflineQueue: true })
      return client.on('error', () => undefined).connect()
    },
    isOpen: (client) => client.isReady,
    drop: (client) => client.destroy(),
    close: async (client) => void (client.isOpen && client.destroy()),
  })
  const listOf = (topic: string, group: string): string => `list:${topic}:${group}`

  return kit.queueTransport(
    {
      write: ({ message, destination: { topic } }) => ({ topic, text: textOf(message) }),
      async publish(wave) {
        const client = await connection.open().catch(unreachable)
        if ('kind' in client) return wave.map(() => client) // Nothing has left: no attempt.
        const send = async ({ topic, text }: (typeof wave)[number]) => {
          const groups = await client.sMembers(`groups:${topic}`)
          if (groups.length === 0) return retryLater(new Error(`no group reads ${topic}`))
          const all = client.multi()
          for (const group of groups) all.lPush(listOf(topic, group), text)
          return delivered({ length: Number((await all.exec())[0]) })
        }
        // After an error it may have arrived: consumers know a repeat by its id.
        return Promise.all(wave.map((each) => send(each).catch((error) => retryLater(error))))
      },
      async queueOf({ topic, group }) {
        const client = await connection.open()
        await client.sAdd(`groups:${topic}`, group)
        return readList(client, listOf(topic, group))
      },
      lag: async ({ topic, group }) => (await connection.open()).lLen(listOf(topic, group)),
      ping: async () => void (await (await connection.open()).ping()),
      close: () => connection.close(),
    },
    options,
  )
}

/** The oldest are at the end of the list, and stay there until they are acknowledged. */
function readList(client: Redis, name: string): kit.Queue {
  const keys = [`${name}:reader`, name]
  const me = uuid()
  const inHand = new Set<string>()
  let reading = Promise.resolve()
  const closed = new AbortController()

  async function read(take: (incoming: kit.Incoming) => void): Promise<void> {
    // What is there when we become the reader may have been given to the one before.
    for (let redelivered = true; !closed.signal.aborted; await sleep(20)) {
      const found = (await client.eval(READ, { keys, arguments: [me] })) as string[] | null
      if (found === null && inHand.size > 0) return // They are another reader's now.
      for (const text of found?.toReversed().filter((each) => !inHand.has(each)) ?? []) {
        inHand.add(text)
        take(incomingOf(text, redelivered))
      }
      redelivered = found === null
    }
  }

  const incomingOf = (text: string, redelivered: boolean): kit.Incoming => ({
    ...{ ref: { list: name }, redelivered },
    read: () => messageOf(text, name),
    raw: () => ({ id: events.idOfCoordinates(0, text), headers: {}, body: Buffer.from(text) }),
    async ack() {
      await client.lRem(name, -1, text)
      inHand.delete(text)
    },
  })

  return {
    name,
    async open(take) {
      reading = read(take).catch(() => undefined)
      return { ended: reading }
    },
    async close() {
      closed.abort()
      await reading
      await client.eval(LEAVE, { keys, arguments: [me] })
    },
  }
}

/** The reader says so again with each call; after ten seconds of silence another may. */
const READ = `
  local reader = redis.call('get', KEYS[1])
  if reader and reader ~= ARGV[1] then return nil end
  redis.call('set', KEYS[1], ARGV[1], 'px', 10000)
  return redis.call('lrange', KEYS[2], -50, -1)`
const LEAVE = `if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end`

function textOf(message: Message): string {
  return JSON.stringify(events.toCloudEvent(message, events.redisBinding, 'shop'))
}

function messageOf(text: string, type: string): Message {
  const { headers, body } = JSON.parse(text) as events.Encoded
  const fallback = { id: () => events.idOfCoordinates(0, text), type }
  return events.fromCloudEvent({ headers, body: Buffer.from(body) }, events.redisBinding, fallback)
}
