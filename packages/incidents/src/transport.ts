import {
  deliverEach,
  delivered,
  refused,
  retryLater,
  type Delivery,
  type Outcome,
  type Queryable,
  type Transport,
} from '@posthorn/engine'
import { type DeliverOptions } from '@posthorn/engine/internal'
import { webhookTransport, type Guard } from '@posthorn/transports/webhook'
import { domainOf, type Mailer } from '@posthorn/system/mailer'
import type { Sealing } from '@posthorn/system'
import { secretsOf, type Channel } from './channel.ts'
import { letterOf, pagerDutyBody, slackBody, type Formed, type NoticeKind } from './form.ts'
import type { NoticePayload } from './outbox.ts'
import { findChannels } from './queries.ts'

export interface NoticeTransportOptions {
  readonly pool: Queryable
  readonly sealing: Sealing
  readonly guard: Guard
  readonly mailer: Mailer
  readonly from: string
  baseUrl(): string
}

const GONE = refused({ code: 'CHANNEL_GONE', message: 'The channel was removed.' })

/** Takes notices to their channels: letters by the mailer, the rest as guarded POST requests. */
export function noticeTransport(options: NoticeTransportOptions): Transport {
  const { pool, sealing, guard, mailer, from } = options
  const channelsOf = async (batch: readonly Delivery[]) => {
    const ids = [...new Set(batch.map(({ destination }) => destination.topic))]
    return new Map((await findChannels(pool, ids)).map((channel) => [channel.id, channel]))
  }
  const formOf = ({ message }: Delivery): Formed => ({
    kind: message.type.slice('incident.'.length) as NoticeKind,
    payload: message.payload as NoticePayload,
    baseUrl: options.baseUrl(),
  })
  const targetOf = (channel: Channel, delivery: Delivery) => ({
    url: secretsOf(sealing, channel.id).open('address', channel.sealed_address),
    secrets: [],
    body:
      channel.sealed_key === null
        ? slackBody(formOf(delivery))
        : pagerDutyBody(
            formOf(delivery),
            secretsOf(sealing, channel.id).open('key', channel.sealed_key),
          ),
  })
  const posting = webhookTransport({
    guard,
    resolve: async (batch) => {
      const channels = await channelsOf(batch)
      return batch.map((delivery) => {
        const channel = channels.get(delivery.destination.topic)
        return channel ? targetOf(channel, delivery) : GONE
      })
    },
  })
  const mail = async (channel: Channel, delivery: Delivery): Promise<Outcome> => {
    const to = secretsOf(sealing, channel.id).open('address', channel.sealed_address)
    const letter = letterOf(formOf(delivery), {
      to,
      id: delivery.message.id,
      domain: domainOf(from),
    })
    try {
      const mailed = await mailer.send(letter)
      return mailed.kind === 'sent'
        ? delivered()
        : refused({ code: 'MAIL_REFUSED', message: mailed.reason })
    } catch (error) {
      return retryLater(error)
    }
  }
  return {
    takes: 'each',
    async deliver(batch: readonly Delivery[], how: DeliverOptions) {
      const channels = await channelsOf(batch)
      return deliverEach(batch, how, async (each) => {
        const channel = channels.get(each.destination.topic)
        if (channel?.kind === 'email') return mail(channel, each)
        const { ordered, signal } = how
        const [outcome = GONE] = await posting.deliver([each], { ordered, signal })
        return outcome
      })
    },
    close: () => posting.close(),
  }
}
