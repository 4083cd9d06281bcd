import type { AMQPChannel, AMQPClient } from '@cloudamqp/amqp-client'
import { delivered, retryLater, type Outcome } from '@posthorn/engine'
import { publishPrepared, sendAll, type WaveParts } from '../deliver/wave.ts'
import { TransportError, UnreachableError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { ensureExchange } from './topology.ts'
import type { Publication } from './wire.ts'

interface PublisherOptions {
  readonly connection: Connection
  readonly timeoutMs: number
  /** Make a missing exchange; else it has to be there. */
  readonly declare: boolean
}

/** A channel in confirm mode and what is known on it. */
interface Confirming {
  readonly client: AMQPClient
  readonly channel: AMQPChannel
  /** Ids that came back unroutable: a return arrives before the confirm of the same message. */
  readonly returned: Set<string>
  readonly exchanges: Set<string>
  /** Waves that are being published on it. */
  waves: number
}

interface Prepared {
  readonly on: Confirming
  readonly unusable: ReadonlyMap<string, Outcome>
}

/** Publishes all at once, with confirms and `mandatory`, and waits for the word on each. */
export function createPublisher({
  connection,
  timeoutMs,
  declare,
}: PublisherOptions): WaveParts<Publication>['publish'] {
  let current: Confirming | undefined
  let opening: Promise<Confirming> | undefined

  const open = async (): Promise<Confirming> => {
    const client = await connection.open()
    const channel = await client.channel()
    const returned = new Set<string>()
    channel.onerror = () => undefined
    channel.onReturn = ({ properties }) => void returned.add(properties.messageId ?? '')
    await channel.confirmSelect()
    return (current = { client, channel, returned, exchanges: new Set(), waves: 0 })
  }

  /**
   * A channel that was opened while a quorum queue had no leader can be refused everything for as long as it
   * is open, also when there is a leader again. So after a refusal the next wave gets another channel; this
   * one is closed when nothing is on its way on it: its end would leave those messages unconfirmed.
   */
  const leave = async (on: Confirming): Promise<void> => {
    if (current === on) current = undefined
    if (on.waves === 0 && !on.channel.closed) await on.channel.close().catch(() => undefined)
  }

  /** The channel of a wave, which counts on it from now on. */
  const join = async (): Promise<Confirming> => {
    const isOpen = current !== undefined && !current.channel.closed
    if (!isOpen) opening ??= open().finally(() => (opening = undefined))
    const on = (isOpen ? current : await opening) as Confirming
    on.waves += 1
    return on
  }

  /** Makes ready for a wave; `unusable` has the outcome of exchanges that cannot be used. */
  const prepare = async (wave: readonly Publication[]): Promise<Prepared> => {
    const on = await join()
    const unusable = new Map<string, Outcome>()
    for (const exchange of new Set(wave.map((publication) => publication.exchange))) {
      if (on.exchanges.has(exchange)) continue
      try {
        await ensureExchange(on.client, exchange, { declare })
        on.exchanges.add(exchange)
      } catch (error) {
        if (on.client.closed) throw new UnreachableError('connection lost', { cause: error })
        unusable.set(exchange, retryLater(error))
      }
    }
    return { on, unusable }
  }

  const publishAll = async (
    { on, unusable }: Prepared,
    wave: readonly Publication[],
  ): Promise<Outcome[]> => {
    // Corked: one system call for many frames.
    on.client.socket?.cork()
    const sending = sendAll(
      wave,
      { connection, timeoutMs },
      async (publication) => unusable.get(publication.exchange) ?? publishOne(on, publication),
    )
    on.client.socket?.uncork()
    const outcomes = await sending
    on.waves -= 1
    if (current !== on || outcomes.some(isNacked)) void leave(on)
    return outcomes
  }

  return (wave) => publishPrepared(wave, { connection, timeoutMs, prepare, publishAll })
}

function isNacked(outcome: Outcome): boolean {
  return outcome.kind === 'retryLater' && outcome.failure.code === 'NACKED'
}

async function publishOne(on: Confirming, publication: Publication): Promise<Outcome> {
  const { client, channel, returned } = on
  const { exchange, routingKey, body, properties } = publication
  if (client.blocked) {
    return retryLater(new TransportError('BROKER_BLOCKED', client.blocked), { unreachable: true })
  }
  try {
    await channel.basicPublish(exchange, routingKey, body, properties, true)
    if (!returned.delete(properties.messageId ?? '')) return delivered({ exchange, routingKey })
    return retryLater(
      new TransportError('UNROUTABLE', `no queue is bound to "${exchange}" for "${routingKey}"`),
    )
  } catch (cause) {
    // The broker may have taken it: a lost connection also loses the confirm.
    if (channel.closed)
      return retryLater(new TransportError('CONNECTION_LOST', undefined, { cause }))
    return retryLater(new TransportError('NACKED', undefined, { cause }))
  }
}
