import { AMQPClient, AMQPError, type AMQPChannel } from '@cloudamqp/amqp-client'
import type { BrokerAccess } from '@posthorn/server'
import { pluralise } from '../../terminal/words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import { judgeBacklog, type Topology } from './topology.ts'

/** Whether the exchanges and the groups' queues are there, and whether consumers read them. */
export async function checkRabbitmq(
  { address, tls }: BrokerAccess,
  { topics, groups }: Topology,
): Promise<Finding[]> {
  const client = new AMQPClient(address, tls)
  client.onerror = () => undefined
  await client.connect()
  try {
    const findings: Finding[] = []
    for (const topic of topics) findings.push(await checkExchange(client, topic))
    for (const group of groups) findings.push(await checkQueue(client, group))
    return findings
  } finally {
    await client.close().catch(() => undefined)
  }
}

async function checkExchange(client: AMQPClient, topic: string): Promise<Finding> {
  const found = await passively(client, (channel) =>
    channel.exchangeDeclare(topic, 'topic', { passive: true }).then(() => true),
  )
  if (found) return ok('rabbitmq', `exchange ${topic} is there`)
  const todo = 'the first message makes it; start a relay and a worker'
  return warn('rabbitmq', `exchange ${topic} is not there yet`, { todo, run: 'posthorn start' })
}

async function checkQueue(
  client: AMQPClient,
  { topic, group }: Topology['groups'][number],
): Promise<Finding> {
  const name = `${topic}.${group}`
  const queue = await passively(client, (channel) => channel.queueDeclare(name, { passive: true }))
  if (!queue) {
    const says = `queue ${name} is not there yet: what is sent before it is, is not kept for ${group}`
    const todo = 'start a worker, which makes it'
    return warn('rabbitmq', says, { todo, run: 'posthorn start --role worker' })
  }
  const { messageCount, consumerCount } = queue
  const says = `queue ${name}: ${pluralise(messageCount, 'message')}, ${pluralise(consumerCount, 'reader')}`
  if (consumerCount > 0 || messageCount === 0) return judgeBacklog('rabbitmq', says, messageCount)
  return warn('rabbitmq', says, { todo: 'start a worker', run: 'posthorn start --role worker' })
}

/** Looks without making anything; the broker answers with the end of the channel if it is not there. */
async function passively<Found>(
  client: AMQPClient,
  look: (channel: AMQPChannel) => Promise<Found>,
): Promise<Found | undefined> {
  const channel = await client.channel()
  channel.onerror = () => undefined
  try {
    const found = await look(channel)
    await channel.close()
    return found
  } catch (error) {
    if (error instanceof AMQPError && /\b404\b|NOT_FOUND/.test(error.message)) return undefined
    throw error
  }
}
