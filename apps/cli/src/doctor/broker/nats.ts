import { natsTransport } from '@posthorn/transports/nats'
import type { BrokerAccess } from '@posthorn/server'
import { number, pluralise } from '../../words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import type { Topology } from './topology.ts'

const MANY_MESSAGES = 100_000

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
    for (const group of groups) findings.push(judge(group, await transport.lag(group)))
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

function judge({ topic, group }: Topology['groups'][number], lag: number): Finding {
  const says = `group ${group} of ${topic}: ${pluralise(lag, 'message')} behind`
  if (lag <= MANY_MESSAGES) return ok('nats', says)
  const todo = `more than ${number(MANY_MESSAGES)} wait: start more workers, or see why they are slow`
  return warn('nats', says, { todo, run: 'posthorn start --role worker' })
}
