import { createHash } from 'node:crypto'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
} from '@aws-sdk/client-sqs'
import { checkName } from '../names.ts'
import { isQueueMissing, type Ask } from './client.ts'

export interface QueueOptions {
  readonly sessionMs: number
  /** How long a queue keeps messages. */
  readonly keepMs: number
}

/** Names in SQS have 80 characters of a small alphabet: enough to be read, and a hash to be told apart. */
function slugOf(name: string): string {
  const hash = createHash('sha256').update(checkName(name)).digest('hex').slice(0, 10)
  return `${name.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 18)}-${hash}`
}

/** What the names of all queues of a topic begin with. */
export function prefixOf(prefix: string, topic: string): string {
  return `${prefix}${slugOf(topic)}_`
}

export function queueNameOf(prefix: string, topic: string, group: string): string {
  return `${prefixOf(prefix, topic)}${slugOf(group)}.fifo`
}

/** The address of a queue; undefined where it is not there, and is not to be made. */
export async function findQueue(
  ask: Ask,
  name: string,
  making?: QueueOptions,
): Promise<string | undefined> {
  try {
    const get = new GetQueueUrlCommand({ QueueName: name })
    return (await ask((client, options) => client.send(get, options))).QueueUrl
  } catch (error) {
    if (!isQueueMissing(error)) throw error
  }
  if (!making) return undefined
  const create = new CreateQueueCommand({
    QueueName: name,
    Attributes: {
      FifoQueue: 'true',
      // Per key, so that many keys are not bound to the 300 requests a second of a queue.
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      VisibilityTimeout: String(seconds(making.sessionMs)),
      MessageRetentionPeriod: String(seconds(making.keepMs)),
    },
  })
  return (await ask((client, options) => client.send(create, options))).QueueUrl
}

/** The addresses of all queues of a topic; a thousand at most. */
export async function listQueues(ask: Ask, prefix: string): Promise<readonly string[]> {
  const list = new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: 1_000 })
  return (await ask((client, options) => client.send(list, options))).QueueUrls ?? []
}

/** Messages that wait and that are in hands, about. */
export async function countMessages(ask: Ask, queue: string): Promise<number> {
  const get = new GetQueueAttributesCommand({
    QueueUrl: queue,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  })
  const { Attributes: found = {} } = await ask((client, options) => client.send(get, options))
  const { ApproximateNumberOfMessages: waiting = 0 } = found
  const { ApproximateNumberOfMessagesNotVisible: inHand = 0 } = found
  return Number(waiting) + Number(inHand)
}

/** SQS counts in whole ones. */
export function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
