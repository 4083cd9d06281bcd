import { wholeNumber } from '@posthorn/system'
import { Type } from 'typebox'
import { gatewaySettings } from '@posthorn/gateway'

export const orderSettings = Type.Object({
  SAGAS_BROKER: Type.Union(
    ['topics', 'kafka', 'rabbitmq', 'nats', 'redis', 'sqs'].map((name) => Type.Literal(name)),
    {
      description: 'broker of the sagas: topics, kafka, rabbitmq, nats, redis or sqs',
      default: 'topics',
    },
  ),
  SAGAS_TOPIC: Type.String({
    description: 'topic or exchange of commands and replies',
    pattern: '^[A-Za-z0-9._-]{1,100}$',
    default: 'sagas.events',
  }),
  SAGAS_OPENING_STOCK: wholeNumber(
    'stock of a sku that is ordered for the first time',
    [0, 1_000_000_000, 1_000_000],
  ),
  ...gatewaySettings,
})
