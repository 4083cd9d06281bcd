import { RESP_TYPES, createClient, type RedisClientType } from '@redis/client'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { checkName } from '../names.ts'
import { createLazyClient, type LazyClient } from '../queue/lazy-client.ts'
import { within } from '../timing.ts'

/** Names of a topic's keys. A topic's own name has no colon. */
export interface TopicKeys {
  /** Holds the number of partitions. */
  readonly partitions: string
  stream(partition: number): string
  /** Where it is called out that messages have come. */
  readonly bell: string
}

export function keysOf(prefix: string, topic: string): TopicKeys {
  const base = `${prefix}${checkName(topic)}`
  return {
    partitions: base,
    stream: (partition) => `${base}:${partition}`,
    bell: `${base}:bell`,
  }
}

/** An entry as the server has it: its id, then names and values in turn. */
export type Entry = readonly [id: Buffer, fields: readonly Buffer[]]

/** What is in a group's hands, or comes into ours. */
export type Taken =
  | readonly ['new' | 'again', readonly Entry[]]
  /** With another member, or nothing there. */
  | readonly ['busy' | 'empty']

/** Makes what is missing of a topic; answers with its partitions, which may be others than asked for. */
const MAKE = `
redis.call('SET', KEYS[1], ARGV[1], 'NX')
local partitions = tonumber(redis.call('GET', KEYS[1]))
for at = 0, partitions - 1 do
  local stream = KEYS[1] .. ':' .. at
  if redis.call('EXISTS', stream) == 0 then
    redis.call('XGROUP', 'CREATE', stream, 'posthorn', '$', 'MKSTREAM')
    redis.call('XGROUP', 'DESTROY', stream, 'posthorn')
  end
end
return partitions`

/** Makes the group, and forgets members that have long said nothing and hold nothing. */
const JOIN = `
local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], ARGV[2])
if made.err and string.sub(made.err, 1, 9) ~= 'BUSYGROUP' then return made end
for _, member in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  if member[4] == 0 and member[6] > tonumber(ARGV[3]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], member[2])
  end
end
return 1`

/**
 * The next entries of a partition, if no other member holds some: what is pending is the lease. That
 * of a member that has been silent for the time of a session is taken over, in its order.
 */
const TAKE = `
local pending = redis.call('XPENDING', KEYS[1], ARGV[1])[1]
if pending == 0 then
  local read = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', ARGV[4], 'STREAMS', KEYS[1], '>')
  if not read then return {'empty'} end
  return {'new', read[1][2]}
end
local silent = redis.call('XPENDING', KEYS[1], ARGV[1], 'IDLE', ARGV[3], '-', '+', pending)
if #silent < pending then return {'busy'} end
return {'again', redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], '0-0', 'COUNT', pending)[2]}`

/** Says that a member is alive, or, with a time, that it gives back what it holds; answers with the ids. */
const TOUCH = `
local ids = {}
for _, entry in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 10000, ARGV[2])) do
  ids[#ids + 1] = entry[1]
end
if #ids == 0 then return ids end
local claim = {'XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, unpack(ids)}
claim[#claim + 1] = 'IDLE'
claim[#claim + 1] = ARGV[3]
claim[#claim + 1] = 'JUSTID'
redis.call(unpack(claim))
return ids`

/** Takes a member's name off the list, unless something is still in its hands. */
const LEAVE = `
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])`

/** Runs a script for a key, with what else it is to know. */
function call<Answer>(
  client: RedisClient,
  script: string,
  [key, ...args]: readonly [key: string, ...args: (string | number)[]],
): Promise<Answer> {
  return client.sendCommand<Answer>(['EVAL', script, '1', key, ...args.map(String)])
}

/** How many partitions a topic has; 0 where it is not there. */
export async function countPartitions(client: RedisClient, keys: TopicKeys): Promise<number> {
  return Number((await client.get(keys.partitions)) ?? 0)
}

/** As `countPartitions`; makes the topic, and what was deleted of it, where `partitions` says so. */
export function findTopic(
  client: RedisClient,
  keys: TopicKeys,
  partitions: number | undefined,
): Promise<number> {
  if (partitions === undefined) return countPartitions(client, keys)
  return call<number>(client, MAKE, [keys.partitions, partitions])
}

/** A member of a group, on one stream. */
export interface Member {
  readonly stream: string
  readonly group: string
  readonly name: string
}

/** Members without a sign for so many sessions are forgotten. */
const FORGET_AFTER = 100

export async function joinGroup(
  client: RedisClient,
  { stream, group }: Member,
  { from, sessionMs }: { from: 'earliest' | 'latest'; sessionMs: number },
): Promise<void> {
  const start = from === 'latest' ? '$' : '0'
  await call(client, JOIN, [stream, group, start, FORGET_AFTER * sessionMs])
}

export function takeEntries(
  client: RedisClient,
  { stream, group, name }: Member,
  { sessionMs, count }: { sessionMs: number; count: number },
): Promise<Taken> {
  const args = ['EVAL', TAKE, '1', stream, group, name, String(sessionMs), String(count)]
  // Bytes of others need not be text.
  const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer }
  return client
    .sendCommand<[Buffer, Entry[]?]>(args, { typeMapping })
    .then(([kind, entries]) => [String(kind), entries] as unknown as Taken)
}

/** The ids of what is in a member's hands; its session begins anew. */
export function renew(client: RedisClient, { stream, group, name }: Member): Promise<string[]> {
  return call<string[]>(client, TOUCH, [stream, group, name, 0])
}

/** Others may have at once what is in the member's hands. */
export async function release(
  client: RedisClient,
  { stream, group, name }: Member,
  sessionMs: number,
): Promise<void> {
  await call(client, TOUCH, [stream, group, name, sessionMs])
  await call(client, LEAVE, [stream, group, name])
}

/** How far a group is in a stream; undefined where there is none. */
export interface Position {
  readonly lastDelivered: string
  readonly pending: number
  /** What it has not been given yet. */
  readonly ahead: number
}

export async function findPosition(
  client: RedisClient,
  stream: string,
  group: string,
): Promise<Position | undefined> {
  const groups = await orMissing(client.xInfoGroups(stream), [])
  const found = groups.find((each) => each.name === group)
  if (!found) return undefined
  const { 'last-delivered-id': lastDelivered, pending, lag } = found
  // Unknown where entries were deleted out of turn: then at most all that are there.
  const ahead = lag ?? (await client.xLen(stream))
  return { lastDelivered, pending, ahead }
}

export async function isPending(
  client: RedisClient,
  { stream, group, id }: { stream: string; group: string; id: string },
): Promise<boolean> {
  const found = await orMissing(client.xPendingRange(stream, group, id, id, 1), [])
  return found.length > 0
}

/** Whether one id is behind another: milliseconds first, then the number within them. */
export function isAfter(one: string, other: string): boolean {
  const [a = 0n, b = 0n] = one.split('-').map(BigInt)
  const [c = 0n, d = 0n] = other.split('-').map(BigInt)
  return a === c ? b > d : a > c
}

async function orMissing<Answer>(answer: Promise<Answer>, missing: Answer): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (/^(NOGROUP|ERR no such key)/.test((error as Error).message)) return missing
    throw error
  }
}

export type RedisClient = RedisClientType

export type Connection = LazyClient<RedisClient>

export interface ConnectionOptions {
  /** `redis://user:password@host:6379/0`, or `rediss:`. */
  readonly url: string
  readonly timeoutMs: number
  readonly tls: Pick<TlsOptions, 'ca' | 'cert' | 'key' | 'servername'> | undefined
}

/**
 * The library's own reconnecting is off: it would keep what is sent during an outage and send it at
 * its end, when the relay has long given it to another attempt.
 */
export function createConnection({ url, timeoutMs, tls }: ConnectionOptions): Connection {
  const connect = async (): Promise<RedisClient> => {
    const socket = { connectTimeout: timeoutMs, reconnectStrategy: false } as const
    const client = createClient({
      ...{ url, name: 'posthorn', disableOfflineQueue: true },
      socket: url.startsWith('rediss:') ? { ...socket, ...tls, tls: true } : socket,
    })
    // Without a listener its errors would end the process; those who wait hear of them anyway.
    client.on('error', () => undefined)
    // The time of `connectTimeout` ends with the socket, before the login.
    await within(client.connect(), timeoutMs, () => {
      drop(client)
      throw new Error(`no answer from Redis within ${timeoutMs} ms`)
    })
    return client
  }
  return createLazyClient<RedisClient>({
    server: 'Redis',
    connect,
    isOpen: (client) => client.isReady,
    drop,
    close: async (client) => {
      if (!client.isOpen) return
      await within(client.close(), timeoutMs, () => drop(client))
    },
  })
}

/** Ends a connection that no longer answers. */
export function drop(client: RedisClient): void {
  if (client.isOpen) client.destroy()
}

/** Resolves when the connection has ended, by whichever side. */
export function untilEnded(client: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'error'] as const) client.once(event, () => resolve())
    if (!client.isReady) resolve()
  })
}
