import { toMs, type Duration } from '../duration.ts'
import { checkObject, type Fields } from '../outbox/definition-shape.ts'
import type { Outbox } from '../outbox/define.ts'
import type { RelayOptions } from './relay.ts'

type Wrong = (field: string, problem: string) => never

/** What a relay can be given; `posthorn` makes outboxes and transports itself where they are left out. */
export const RELAY_FIELDS: Fields<RelayOptions> = {
  pool: 'needed',
  outboxes: 'optional',
  transports: 'optional',
  mode: 'optional',
  maintenance: 'optional',
  drain: 'optional',
  sleepAfter: 'optional',
  sleepAtMost: 'optional',
  sharesProcess: 'optional',
  name: 'optional',
  version: 'optional',
  log: 'optional',
  metrics: 'optional',
}

/** The compiler's work for those who use JavaScript, before anything runs. */
export function checkRelayFields(options: RelayOptions | undefined, wrong: Wrong): void {
  const fields = { ...RELAY_FIELDS, outboxes: 'needed', transports: 'needed' } as const
  if (options === undefined) return wrong('pool', 'is missing')
  checkObject(options, fields, { prefix: '', wrong })
  if (typeof (options.pool as { connect?: unknown }).connect !== 'function') {
    wrong('pool', 'must be a Pool of the package "pg"')
  }
  checkOutboxes(options.outboxes, wrong)
  checkRelayOptions(options, wrong)
}

export function checkOutboxes(outboxes: unknown, wrong: Wrong): void {
  const isOutbox = (box: unknown) => (box as Partial<Outbox> | undefined)?.bell !== undefined
  if (Array.isArray(outboxes) && outboxes.every(isOutbox)) return
  wrong('outboxes', 'must be a list of what outbox() or defineOutbox() returned')
}

/** What would else be noticed while the relay runs, or only when it stops. */
export function checkRelayOptions(
  { mode, sharesProcess, transports = {}, maintenance, ...durations }: Partial<RelayOptions>,
  wrong: Wrong,
): void {
  if (mode !== undefined && !['listen', 'poll'].includes(mode)) {
    wrong('mode', 'must be "listen" or "poll"')
  }
  if (sharesProcess !== undefined && typeof sharesProcess !== 'boolean') {
    wrong('sharesProcess', 'must be true or false')
  }
  for (const field of ['drain', 'sleepAfter', 'sleepAtMost'] as const) {
    checkDuration(field, durations[field], wrong)
  }
  if (durations.sleepAtMost !== undefined && durations.sleepAfter === undefined) {
    wrong('sleepAtMost', 'needs sleepAfter')
  }
  if (maintenance !== 'off') checkDuration('maintenance', maintenance, wrong)
  for (const [name, transport] of Object.entries(transports)) {
    if (typeof (transport as { deliver?: unknown } | undefined)?.deliver === 'function') continue
    wrong(`transports.${name}`, 'must be a transport: it has no deliver()')
  }
}

function checkDuration(field: string, value: Duration | undefined, wrong: Wrong): void {
  if (value === undefined) return
  try {
    toMs(value)
  } catch (error) {
    wrong(field, (error as Error).message)
  }
}
