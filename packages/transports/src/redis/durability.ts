import type { RedisClient } from './connection.ts'

/** What a server does about what it has taken. */
export interface Durability {
  readonly version: string
  /** Whether it writes what it takes to its disk as it comes. */
  readonly appendOnly: boolean
  /** What it drops when its memory is full; `noeviction` is nothing. */
  readonly evictionPolicy: string
  readonly replicas: number
}

export async function readDurability(client: RedisClient): Promise<Durability> {
  const fields = new Map(
    (await client.info()).split(/\r?\n/).map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/:(.*)/)
      return [name, value]
    }),
  )
  return {
    version: fields.get('redis_version') ?? 'unknown',
    appendOnly: fields.get('aof_enabled') === '1',
    evictionPolicy: fields.get('maxmemory_policy') ?? 'unknown',
    replicas: Number(fields.get('connected_slaves') ?? 0),
  }
}
