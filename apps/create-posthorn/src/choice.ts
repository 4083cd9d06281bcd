export const ORMS = ['pg', 'drizzle', 'prisma'] as const

export const DESTINATIONS = [
  'handlers',
  'topics',
  'kafka',
  'rabbitmq',
  'nats',
  'redis',
  'sqs',
] as const

export interface ServiceOptions {
  /** What the service reads and writes with. */
  readonly orm: (typeof ORMS)[number]
  /** Where its messages go: functions of its own, or a broker. */
  readonly to: (typeof DESTINATIONS)[number]
}
