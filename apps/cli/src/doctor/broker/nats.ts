import { natsTransport } from '@posthorn/transports/nats'
import type { BrokerAccess } from '@posthorn/server'
import { pluralise } from '../../words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import { judgeLag } from './lag.ts'
import type { Topology } from './topology.ts'

/** Whether the topics' streams are there, and how far the groups are behind. */
export async function checkNats(
  { address, tls }: BrokerAccess,
  { topics, groups }: Topology,
): Promise<Finding[]> {
  const transport = natsTransport({ url: address, ...(tls && { tls }) })
  try {
    const findings: Finding[] = []
    for (const topic of topics) {
      const partitions = await transport.partitions(topic)
      findings.push(partitions === 0 ? reportMissing(topic) : report(topic, partitions))
    }
    for (const group of groups) findings.push(judgeLag('nats', group, await transport.lag(group)))
    return findings
  } finally {
    await transport.close()
  }
}

function reportMissing(topic: string): Finding {
  const todo = 'the first message makes it, with 8 partitions; make it yourself to choose'
  return warn('nats', `topic ${topic} has no stream yet`, { todo, run: 'posthorn start' })
}

function report(topic: string, partitions: number): Finding {
  return ok('nats', `topic ${topic}: a stream with ${pluralise(partitions, 'partition')}`)
}
