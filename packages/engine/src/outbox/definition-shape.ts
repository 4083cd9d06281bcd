import type { Columns, OutboxDefinition, States } from './definition.ts'
import type { OutboxRow } from './resolved-definition.ts'

type Fields<Type> = Readonly<Record<keyof Type & string, 'needed' | 'optional'>>

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

type Wrong = (field: string, problem: string) => never

/** Fields that are missing or misspelt: the compiler's work, for those who use JavaScript. */
export function checkFields<Row>(definition: OutboxDefinition<Row>, wrong: Wrong): void {
  checkObject(definition, DEFINITION, { prefix: '', wrong })
  checkObject(definition.states, STATES, { prefix: 'states.', wrong })
  checkObject(definition.columns, COLUMNS, { prefix: 'columns.', wrong })
  if (typeof definition.counter.column !== 'string') wrong('counter.column', 'is missing')
  if (typeof definition.message !== 'function') wrong('message', 'must be a function of the row')
  if (!Array.isArray(definition.retry.delaysMs)) {
    wrong('retry', 'must be made by exponential(), fixed() or schedule()')
  }
}

function checkObject(
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
