import { redisTransport, type RedisTransport } from '@posthorn/transports/redis'
import type { BrokerAccess } from '@posthorn/server'
import { pluralise } from '../../words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import { judgeLag } from './lag.ts'
import type { Topology } from './topology.ts'

/** Whether the server keeps what it takes, the topics are there, and how far the groups are behind. */
export async function checkRedis(
  { address, tls }: BrokerAccess,
  { topics, groups }: Topology,
): Promise<Finding[]> {
  const transport = redisTransport({ url: address, ...(tls && { tls }) })
  try {
    const findings = judgeServer(await transport.durability())
    for (const topic of topics) {
      const partitions = await transport.partitions(topic)
      findings.push(partitions === 0 ? reportMissing(topic) : report(topic, partitions))
    }
    for (const group of groups) findings.push(judgeLag('redis', group, await transport.lag(group)))
    return findings
  } finally {
    await transport.close()
  }
}

type Durability = Awaited<ReturnType<RedisTransport['durability']>>

function judgeServer({ version, appendOnly, evictionPolicy }: Durability): Finding[] {
  const findings: Finding[] = []
  if (!appendOnly) {
    const todo = 'messages that were delivered are lost with its process: set appendonly yes'
    findings.push(warn('redis', 'it keeps no append-only file', { todo }))
  }
  if (evictionPolicy !== 'noeviction') {
    const todo = 'streams may be dropped when its memory is full: set maxmemory-policy noeviction'
    findings.push(warn('redis', `it evicts by ${evictionPolicy}`, { todo }))
  }
  if (findings.length > 0) return findings
  return [ok('redis', `version ${version} writes what it takes to its disk and evicts nothing`)]
}

function reportMissing(topic: string): Finding {
  const todo = 'the first message makes it, with 8 partitions'
  return warn('redis', `topic ${topic} has no streams yet`, { todo, run: 'posthorn start' })
}

function report(topic: string, partitions: number): Finding {
  return ok('redis', `topic ${topic}: ${pluralise(partitions, 'stream')}`)
}
