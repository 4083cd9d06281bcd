import type { Destination, Subscriber, Transport } from '@posthorn/engine'

export function topicOf(prefix: string, tenant: string): string {
  return `${prefix}.${tenant}`
}

/** A broker that others use too: what goes to one topic goes to one for each merchant here. */
export function topicForEach(
  broker: Transport & Subscriber,
  prefix: string,
): Transport & Subscriber {
  return {
    ...broker,
    deliver: (batch, options) =>
      broker.deliver(
        batch.map(({ message, destination }) => ({
          message,
          destination: { ...destination, topic: topicOf(prefix, message.tenant ?? '') },
        })),
        options,
      ),
  }
}

/** The same topics and groups under names of its own. */
export function underPrefix(
  broker: Required<Transport> & Subscriber,
  prefix = '',
): Required<Transport> & Subscriber {
  if (prefix === '') return broker
  const rename = (destination: Destination): Destination => ({
    ...destination,
    topic: `${prefix}.${destination.topic}`,
    options: { group: `${prefix}.${String(destination.options?.['group'])}` },
  })
  return {
    ...broker,
    deliver: (batch, options) =>
      broker.deliver(
        batch.map(({ message, destination }) => ({ message, destination: rename(destination) })),
        options,
      ),
    passed: (sent) =>
      broker.passed(
        sent.map(({ destination, ref }) => ({ destination: rename(destination), ref })),
      ),
    subscribe: (consumer) =>
      broker.subscribe({
        ...consumer,
        topic: `${prefix}.${consumer.topic}`,
        group: `${prefix}.${consumer.group}`,
      }),
  }
}
