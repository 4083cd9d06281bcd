import type {
  Audit,
  BreakerOptions,
  ClaimOptions,
  Columns,
  Confirm,
  Counter,
  Encrypt,
  Fair,
  Limit,
  Order,
  OutboxDefinition,
  Retention,
  States,
  UnknownPolicy,
} from './definition.ts'
import type { OutboxRow } from './resolved-definition.ts'

/** Which fields an object must and may have. */
export type Fields<Type> = Readonly<Record<keyof Type & string, 'needed' | 'optional'>>

const DEFINITION: Fields<OutboxDefinition<OutboxRow>> = {
  name: 'needed',
  table: 'needed',
  states: 'needed',
  columns: 'needed',
  counter: 'needed',
  retry: 'needed',
  destination: 'needed',
  message: 'needed',
  label: 'optional',
  claim: 'optional',
  storage: 'optional',
  order: 'optional',
  fair: 'optional',
  limit: 'optional',
  breaker: 'optional',
  retention: 'optional',
  unknown: 'optional',
  reads: 'optional',
  upcasters: 'optional',
  encrypt: 'optional',
  secrets: 'optional',
  audit: 'optional',
  confirm: 'optional',
  recurring: 'optional',
}

const STATES: Fields<States> = {
  ready: 'needed',
  sent: 'needed',
  claimed: 'optional',
  confirmed: 'optional',
  retry: 'optional',
  failing: 'optional',
  dead: 'optional',
  cancelled: 'optional',
}

const COLUMNS: Fields<Columns<OutboxRow>> = {
  dueAt: 'needed',
  id: 'optional',
  idType: 'optional',
  status: 'optional',
  createdAt: 'optional',
  sentAt: 'optional',
  finishedAt: 'optional',
  error: 'optional',
  errorCode: 'optional',
  type: 'optional',
  tenant: 'optional',
  priority: 'optional',
  traceparent: 'optional',
  attemptId: 'optional',
  ref: 'optional',
  dedupe: 'optional',
}

const COUNTER: Fields<Counter<OutboxRow>> = {
  column: 'needed',
  bumps: 'needed',
  limit: 'optional',
  unreachable: 'optional',
}

const CLAIM: Fields<ClaimOptions> = {
  batch: 'optional',
  every: 'optional',
  lease: 'optional',
  attempt: 'optional',
  lanes: 'optional',
}

const ORDER: Fields<Order<OutboxRow>> = { key: 'needed', dead: 'needed', serialise: 'optional' }

const FAIR: Fields<Fair<OutboxRow>> = { by: 'needed', atOnce: 'optional', first: 'optional' }

const LIMIT: Fields<Limit<OutboxRow>> = {
  atOnce: 'optional',
  rate: 'optional',
  per: 'optional',
  by: 'optional',
}

const BREAKER: Fields<BreakerOptions> = {
  failures: 'optional',
  attempts: 'optional',
  window: 'optional',
  probe: 'optional',
}

const RETENTION: Fields<Retention> = { after: 'needed', archive: 'needed' }

const CONFIRM: Fields<Confirm> = { within: 'optional' }

const UNKNOWN: Fields<UnknownPolicy> = { then: 'needed', wait: 'optional' }

const AUDIT: Fields<Audit<OutboxRow>> = {
  record: 'optional',
  actor: 'optional',
  claimed: 'optional',
  settled: 'optional',
}

const ENCRYPT: Fields<Encrypt<OutboxRow>> = {
  columns: 'needed',
  keys: 'needed',
  plain: 'optional',
}

/** What a definition's objects have in them. */
const PARTS = {
  states: STATES,
  columns: COLUMNS,
  counter: COUNTER,
  claim: CLAIM,
  order: ORDER,
  fair: FAIR,
  limit: LIMIT,
  breaker: BREAKER,
  retention: RETENTION,
  confirm: CONFIRM,
  unknown: UNKNOWN,
  audit: AUDIT,
  encrypt: ENCRYPT,
} as const

const BUMPS = ['on-claim', 'on-retry-claim', 'on-failure']

type Wrong = (field: string, problem: string) => never

/** Fields that are missing or misspelt: the compiler's work, for those who use JavaScript. */
export function checkFields<Row>(definition: OutboxDefinition<Row>, wrong: Wrong): void {
  checkObject(definition, DEFINITION, { prefix: '', wrong })
  for (const [part, fields] of Object.entries(PARTS)) {
    const value: unknown = definition[part as keyof typeof PARTS]
    if (value === undefined) continue
    if (typeof value !== 'object' || value === null) return wrong(part, 'must be an object')
    checkObject(value, fields, { prefix: `${part}.`, wrong })
  }
  if (typeof definition.counter.column !== 'string') wrong('counter.column', 'must be a column')
  // A word that is none of these would count nothing: the message would be tried for ever.
  if (!BUMPS.includes(definition.counter.bumps)) {
    wrong('counter.bumps', `must be ${BUMPS.map((word) => `"${word}"`).join(' or ')}`)
  }
  if (typeof definition.message !== 'function') wrong('message', 'must be a function of the row')
  if (!Array.isArray(definition.retry.delaysMs)) {
    wrong('retry', 'must be made by exponential(), fixed() or schedule()')
  }
}

/** Names the first field that is missing, or that there is not. */
export function checkObject(
  value: object,
  fields: Readonly<Record<string, 'needed' | 'optional'>>,
  { prefix, wrong }: { prefix: string; wrong: Wrong },
): void {
  const given = value as Readonly<Record<string, unknown>>
  for (const [field, kind] of Object.entries(fields)) {
    if (kind === 'needed' && given[field] === undefined) wrong(prefix + field, 'is missing')
  }
  for (const field of Object.keys(given)) {
    if (given[field] === undefined || fields[field] !== undefined) continue
    const known = Object.keys(fields).join(', ')
    wrong(prefix + field, `is not a field; the fields here are: ${known}`)
  }
}
