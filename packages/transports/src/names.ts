import type { Destination } from '@posthorn/engine'
import { TransportError } from './errors.ts'

/** What Kafka allows, so that a topic can move from one transport to another. */
const NAME = /^[A-Za-z0-9._-]{1,200}$/

/** Returns the name of a topic or group, or throws `TOPIC_INVALID`. */
export function checkName(name: string): string {
  if (NAME.test(name)) return name
  throw new TransportError(
    'TOPIC_INVALID',
    `"${name.slice(0, 250)}" is not a name: up to 200 letters, digits, dots, dashes and underscores`,
  )
}

/** The group a destination names for `passed`; empty if none. */
export function groupOf({ options }: Destination): string {
  const group = options?.['group']
  return typeof group === 'string' ? group : ''
}

/**
 * The Kafka group of a topic's readers, as the queue's name in RabbitMQ: `<topic>.<group>`. A group
 * with members of several topics would leave partitions unread, since the member that leads it
 * assigns the topics it knows itself.
 */
export function groupIdOf(topic: string, group: string): string {
  return `${topic}.${group}`
}

const encoder = new TextEncoder()

/** FNV-1a over the key's bytes: any process, and any language, finds the same partition. */
export function partitionOfKey(key: string, partitions: number): number {
  let hash = 0x811c9dc5
  for (const byte of encoder.encode(key)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % partitions
}
