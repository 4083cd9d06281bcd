import { createClient, type RedisClientType as Redis } from '@redis/client'
import { delivered, retryLater, uuid } from '@posthorn/engine'
import * as kit from '@posthorn/transports/queue'

/** Redis lists: a group is a list of a topic, read by one of its members at a time. */
export function redisLists(url: string, options: kit.ConnectedOptions): kit.QueueTransport {
  // Attempts are the relay's: nothing is kept for later, and silence ends a connection.
  const socket = { connectTimeout: 3_000, socketTimeout: 3_000, reconnectStrategy: false } as const
  const listOf = (topic: string, group: string): string => `list:${topic}:${group}`

  return kit.connectedTransport(
    {
      async connect() {
        const client: Redis = createClient({ url, socket, disableOfflineQueue: true })
        return client.on('error', () => undefined).connect()
      },
      isOpen: (client) => client.isReady,
      drop: (client) => client.isOpen && client.destroy(),
      write: ({ message, destination: { topic } }) => ({ topic, text: kit.toEventText(message) }),
      async send(client, { topic, text }) {
        const groups = await client.sMembers(`groups:${topic}`)
        if (groups.length === 0) return retryLater(new Error(`no group reads ${topic}`))
        const all = client.multi()
        for (const group of groups) all.lPush(listOf(topic, group), text)
        return delivered({ length: Number((await all.exec())[0]) })
      },
      async queueOf(client, { topic, group }) {
        await client.sAdd(`groups:${topic}`, group)
        return readList(client, listOf(topic, group))
      },
      lag: (client, { topic, group }) => client.lLen(listOf(topic, group)),
      ping: (client) => client.ping(),
    },
    options,
  )
}

/** The oldest are at the end of the list, and stay there until they are acknowledged. */
function readList(client: Redis, name: string): kit.Queue {
  const reader = { keys: [`${name}:reader`, name], arguments: [uuid()] }
  return kit.polledQueue({
    name,
    async fetch() {
      const found = (await client.eval(READ, reader)) as string[] | null
      return found?.toReversed().map((text) => kit.polledText(text, name))
    },
    ack: (text) => client.lRem(name, -1, text),
    leave: () => client.eval(LEAVE, reader),
  })
}

/** The reader says so again with each call; after ten seconds of silence another may. */
const READ = `
  local reader = redis.call('get', KEYS[1])
  if reader and reader ~= ARGV[1] then return nil end
  redis.call('set', KEYS[1], ARGV[1], 'px', 10000)
  return redis.call('lrange', KEYS[2], -50, -1)`
const LEAVE = `if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end`
