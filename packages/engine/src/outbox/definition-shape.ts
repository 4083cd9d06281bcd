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

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text

/** `unknown` where the words are the fields of a type, all of them and no others; else nothing fits. */
type Complete<Type, Text extends string> = [keyof Type & string] extends [Words<Text>]
  ? [Exclude<Words<Text>, keyof Type | ''>] extends [never]
    ? unknown
    : never
  : never

/** The fields of a type as words: those that are needed, then those that are not. The compiler compares both. */
function listFields<Type>() {
  return <Needed extends string, Optional extends string>(
    needed: Needed,
    optional: Optional & Complete<Type, `${Needed} ${Optional}`>,
  ): Fields<Type> => {
    const words = (text: string) => text.split(' ').filter(Boolean)
    return Object.fromEntries([
      ...words(needed).map((field) => [field, 'needed']),
      ...words(optional).map((field) => [field, 'optional']),
    ]) as Fields<Type>
  }
}

const DEFINITION = listFields<OutboxDefinition<OutboxRow>>()(
  'name table states columns counter retry destination message',
  'label claim storage order fair limit breaker retention unknown reads upcasters encrypt secrets audit confirm recurring',
)

/** What a definition's objects have in them. */
const PARTS = {
  states: listFields<States>()('ready sent', 'claimed confirmed retry failing dead cancelled'),
  columns: listFields<Columns<OutboxRow>>()(
    'dueAt',
    'id idType status createdAt sentAt finishedAt error errorCode type tenant priority traceparent attemptId ref dedupe',
  ),
  counter: listFields<Counter<OutboxRow>>()('column bumps', 'limit unreachable'),
  claim: listFields<ClaimOptions>()('', 'batch every unheard lease attempt atOnce'),
  order: listFields<Order<OutboxRow>>()('key dead', 'serialise'),
  fair: listFields<Fair<OutboxRow>>()('by', 'atOnce first'),
  limit: listFields<Limit<OutboxRow>>()('', 'atOnce rate per by'),
  breaker: listFields<BreakerOptions>()('', 'failures attempts window probe'),
  retention: listFields<Retention>()('after archive', ''),
  confirm: listFields<Confirm>()('', 'within'),
  unknown: listFields<UnknownPolicy>()('then', 'wait'),
  audit: listFields<Audit<OutboxRow>>()('', 'record actor claimed settled'),
  encrypt: listFields<Encrypt<OutboxRow>>()('columns keys', 'plain'),
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
