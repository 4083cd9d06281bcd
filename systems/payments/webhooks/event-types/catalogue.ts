import { Type, type TSchema } from 'typebox'

/** A type of event that merchants get, as the API describes it. */
export interface EventType {
  readonly type: string
  /** Of the shape of `data`; a change that would break receivers is a new type beside the old one. */
  readonly version: number
  readonly about: string
  readonly data: TSchema
  readonly sample: unknown
}

const Id = Type.String({ format: 'uuid' })
/** A gateway may name its charge only, and what it says is forwarded byte for byte. */
const PaymentId = Type.Optional(
  Type.String({
    format: 'uuid',
    description: 'Id of the payment; absent if the gateway names only its charge',
  }),
)
const Amount = Type.Integer({ minimum: 0, description: 'Amount in minor units' })
const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' })
const GatewayRef = Type.Union([Type.String(), Type.Null()], {
  description: 'Id of the charge at the gateway; null if there is none',
})
const Reason = Type.Optional(Type.String())

const payment = (status: string) =>
  Type.Object({
    paymentId: PaymentId,
    gatewayRef: Type.Optional(GatewayRef),
    status: Type.Optional(Type.Literal(status)),
    amount: Type.Optional(Amount),
    currency: Type.Optional(Currency),
    reason: Reason,
  })

const dispute = Type.Object({
  paymentId: PaymentId,
  disputeId: Type.Optional(Type.String()),
  gatewayRef: Type.Optional(GatewayRef),
  status: Type.Optional(Type.String()),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  reason: Reason,
})

const PAYMENT = {
  paymentId: '01976f3e-8a1b-7c44-9d10-5b2f6a7e8c90',
  gatewayRef: 'ch_7Xq2',
  amount: 4_990,
  currency: 'EUR',
}

const endpoint = Type.Object({
  endpointId: Id,
  url: Type.String({ description: 'URL without the values of its query' }),
  failingSince: Type.String({ format: 'date-time' }),
  lastFailedAt: Type.String({ format: 'date-time' }),
  disablesAt: Type.Optional(Type.String({ format: 'date-time' })),
})

const ENDPOINT = {
  endpointId: '01976f3e-9c2d-7a10-8e21-6c3f7b8d9e01',
  url: 'https://shop.example/hooks',
  failingSince: '2026-03-02T09:30:00.000Z',
  lastFailedAt: '2026-03-05T11:00:00.000Z',
}

/** Every event of Posthorn's own. What else a gateway sends is forwarded as it comes. */
export const EVENT_TYPES: readonly EventType[] = [
  ...Object.entries({
    succeeded: 'The gateway has taken the money.',
    failed: 'The payment came to nothing; no money was taken.',
    authorised: 'The money is reserved, to be captured later.',
    voided: 'What was reserved is given free.',
    expired: 'What was reserved was not captured in time.',
  }).map(([status, about]) => ({
    type: `payment.${status}`,
    about,
    data: payment(status),
    sample: { ...PAYMENT, status },
  })),
  {
    type: 'payment.refunded',
    about: 'Money is given back: the amount of this refund, all of the payment or a part.',
    data: Type.Object({
      ...payment('refunded').properties,
      status: Type.Optional(
        Type.String({
          description: 'Status of the payment at the gateway, which may keep a part of the amount',
        }),
      ),
      refundId: Type.Optional(Type.String()),
    }),
    sample: { ...PAYMENT, status: 'refunded', refundId: '01976f40-11aa-7d55-b3c4-0a1b2c3d4e5f' },
  },
  {
    type: 'payment.refund_failed',
    about:
      'A refund came to nothing, also one that payment.refunded has told of: banks refuse some days later. Its amount can be refunded again.',
    data: Type.Object({
      ...payment('failed').properties,
      refundId: Type.Optional(Type.String()),
    }),
    sample: {
      ...{ ...PAYMENT, status: 'failed', refundId: '01976f40-11aa-7d55-b3c4-0a1b2c3d4e5f' },
      reason: 'The account is closed.',
    },
  },
  ...Object.entries({
    inquiry:
      'The bank asks about the payment; no money is taken, and an answer may prevent a dispute.',
    opened: 'The payer asks the bank for the money back.',
    won: 'The dispute is decided for you.',
    lost: 'The dispute is decided for the payer; the money is gone.',
    withdrawn: 'The payer has taken the dispute back.',
  }).map(([status, about]) => ({
    type: `dispute.${status}`,
    about,
    data: dispute,
    sample: { ...PAYMENT, disputeId: 'dp_3kL9', status },
  })),
  {
    type: 'reconciliation.completed',
    about: 'A bank statement was compared with the payments.',
    data: Type.Object({
      reconciliationId: Id,
      filename: Type.String(),
      runNo: Type.Integer({ minimum: 1 }),
      matched: Type.Integer({ minimum: 0 }),
      unmatched: Type.Integer({ minimum: 0 }),
      total: Type.Integer({ minimum: 0 }),
      matchRate: Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'Percentage of matched records',
      }),
    }),
    sample: {
      reconciliationId: '01976f41-22bb-7e66-84d5-1b2c3d4e5f60',
      ...{ filename: 'march.csv', runNo: 1, matched: 97, unmatched: 3, total: 100, matchRate: 97 },
    },
  },
  {
    type: 'message.received',
    about: 'A person has written to one of your numbers.',
    data: Type.Object({
      messageId: Id,
      conversationId: Id,
      dossierId: Type.Union([Type.String(), Type.Null()]),
      channel: Type.String(),
      from: Type.String({ description: 'Phone number of the person' }),
      numberId: Type.String({ description: "Your number, by the provider's id" }),
      kind: Type.String({ description: 'Type of the message: text, button, image, reaction …' }),
      text: Type.Union([Type.String(), Type.Null()]),
      content: Type.Unknown({ description: 'Content as received; for media its reference' }),
      answersMessageId: Type.Union([Id, Type.Null()], {
        description: 'Your message that this one answers',
      }),
      sentAt: Type.String({ format: 'date-time' }),
      optOut: Type.Boolean({
        description: 'True if the text was an opt-out keyword: do not write to this person',
      }),
    }),
    sample: {
      messageId: '01976f42-33cc-7f77-95e6-2c3d4e5f6071',
      conversationId: '01976f42-44dd-7088-a6f7-3d4e5f607182',
      ...{ dossierId: 'case.7', channel: 'whatsapp', from: '+16505551234' },
      ...{ numberId: '106540352242922', kind: 'text', text: 'Yes, please' },
      content: { type: 'text', text: { body: 'Yes, please' } },
      answersMessageId: '01976f42-55ee-7199-b708-4e5f60718293',
      ...{ sentAt: '2026-03-05T10:59:58.000Z', optOut: false },
    },
  },
  {
    type: 'webhook_endpoint.failing',
    about: 'Another endpoint of yours has only failed for days, and will be disabled.',
    data: endpoint,
    sample: { ...ENDPOINT, disablesAt: '2026-03-07T09:30:00.000Z' },
  },
  {
    type: 'webhook_endpoint.disabled',
    about: 'Another endpoint of yours has only failed for days, and is disabled now.',
    data: endpoint,
    sample: ENDPOINT,
  },
  {
    type: 'webhook.ping',
    about: 'A try, asked for by a person.',
    data: Type.Object({ by: Type.String() }),
    sample: { by: 'ada' },
  },
].map((each) => ({ version: 1, ...each }))

const BY_TYPE = new Map(EVENT_TYPES.map((each) => [each.type, each]))

export function findEventType(type: string): EventType | undefined {
  return BY_TYPE.get(type)
}

/** A body as it is sent, for a type of the catalogue. */
export function sampleOf({ type, sample }: EventType) {
  const id = `evt_sample_${type.replaceAll('.', '_')}`
  return { id, type, createdAt: '2026-03-05T11:00:00.000Z', data: sample }
}

/** The JSON Schema of a whole body. */
export function schemaOf({ type, version, about, data }: EventType) {
  return Type.Object(
    {
      id: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Id of the event, the same for every endpoint',
      }),
      type: Type.Literal(type),
      createdAt: Type.Optional(Type.String({ format: 'date-time' })),
      data,
    },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `${type}, version ${version}`,
      description: about,
    },
  )
}
