import { sqsTransport } from '@posthorn/transports/sqs'
import { sqsOptionsOf, type BrokerAccess } from '@posthorn/server'
import { pluralise } from '../../words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import { judgeLag } from './lag.ts'
import type { Topology } from './topology.ts'

/** Whether the topics lead to queues, and how far the groups are behind. */
export async function checkSqs(
  access: BrokerAccess,
  { topics, groups }: Topology,
): Promise<Finding[]> {
  const transport = sqsTransport(sqsOptionsOf(access))
  try {
    const findings: Finding[] = []
    for (const topic of topics) {
      const queues = await transport.queues(topic)
      findings.push(queues === 0 ? reportMissing(topic) : report(topic, queues))
    }
    for (const group of groups) findings.push(judgeLag('sqs', group, await transport.lag(group)))
    return findings
  } finally {
    await transport.close()
  }
}

function reportMissing(topic: string): Finding {
  const todo = 'its messages wait until a group has made one'
  return warn('sqs', `topic ${topic} has no queue yet`, { todo, run: 'posthorn start' })
}

function report(topic: string, queues: number): Finding {
  return ok('sqs', `topic ${topic}: ${pluralise(queues, 'queue')}`)
}
