import { refused, toMs, unreachable, type Duration, type Outcome } from '@posthorn/engine'
import { Agent, request } from 'undici'
import { TransportError, UnreachableError } from '../errors.ts'

/** Under which subject a schema is registered, by the names of what it is made of. */
export type SubjectStrategy = 'topic' | 'type' | 'topic-type'

export interface SchemaRegistryOptions {
  /** As `https://registry:8081`; the path of the API behind it where it has one. */
  readonly url: string
  readonly auth?:
    | { readonly username: string; readonly password: string }
    /** A bearer token, or what gets one: `clientCredentials` of `@posthorn/transports/oauth`. */
    | { readonly token: string | (() => Promise<string>) }
  /** Certificates and keys other than the system's, as PEM. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /**
   * `topic`: `<topic>-value`, one schema for all messages of a topic. `type`: the message's type.
   * `topic-type`: `<topic>-<type>`. Default `topic`, as everywhere.
   */
  readonly subject?: SubjectStrategy
  /**
   * JSON Schemas by the type of the message. A type without one goes by the newest schema that its
   * subject has in the registry.
   */
  readonly schemas?: Readonly<Record<string, object>>
  /** Whether schemas of `schemas` are registered. `false`: they must be there. Default true. */
  readonly register?: boolean
  /** How long to wait for an answer. Default that of the transport. */
  readonly timeout?: Duration
}

export interface SchemaRegistry {
  /** The id that a record of this topic and type carries; rejects with what `outcomeOfSchema` reads. */
  idOf(topic: string, type: string): Promise<number>
  /** Rejects where the registry does not answer, or does not let us in. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** How long the newest schema of a subject is believed to be the newest. */
const NEWEST_MS = 5 * 60_000
/** A registry that did not answer is not asked again for this long: a batch has many types. */
const PAUSE_MS = 1_000
const MOST_SUBJECTS = 10_000
const CONTENT = 'application/vnd.schemaregistry.v1+json'

interface Known {
  readonly id: number
  readonly until: number
}

/** A Schema Registry that speaks as Confluent's does, for schemas of JSON. */
export function createSchemaRegistry(
  options: SchemaRegistryOptions,
  defaultTimeoutMs = 5_000,
): SchemaRegistry {
  const { schemas = {}, subject: strategy = 'topic', register = true, auth } = options
  const url = options.url.replace(/\/+$/, '')
  const timeoutMs = options.timeout === undefined ? defaultTimeoutMs : toMs(options.timeout)
  const agent = new Agent({ connect: { timeout: timeoutMs, ...options.tls } })
  const texts = new Map(Object.entries(schemas).map(([type, each]) => [type, JSON.stringify(each)]))
  const known = new Map<string, Known>()
  const asking = new Map<string, Promise<number>>()
  let away: { readonly until: number; readonly error: unknown } | undefined

  const ask = async (path: string, body?: object): Promise<Answer> => {
    if (away && performance.now() < away.until) throw away.error
    try {
      const authorization = await loginOf(auth)
      const { statusCode, body: answer } = await request(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          accept: CONTENT,
          'content-type': CONTENT,
          ...(authorization && { authorization }),
        },
        ...(body && { body: JSON.stringify(body) }),
        dispatcher: agent,
        signal: AbortSignal.timeout(timeoutMs),
      })
      const said = await answer.text()
      if (isAway(statusCode)) throw new UnreachableError(`it answered ${statusCode}`)
      return { statusCode, said: readJson(said) }
    } catch (cause) {
      const error = new UnreachableError(`Schema Registry: ${reasonOf(cause)}`, { cause })
      away = { until: performance.now() + PAUSE_MS, error }
      throw error
    }
  }

  const find = async (subject: string, schema: string | undefined): Promise<Known> => {
    const of = `/subjects/${encodeURIComponent(subject)}`
    const asked = schema === undefined ? undefined : { schemaType: 'JSON', schema }
    if (asked === undefined) {
      const answer = await ask(`${of}/versions/latest`)
      const { id } = take(answer, subject)
      if (answer.said.schemaType !== 'JSON') {
        throw new TransportError('SCHEMA_INVALID', `subject "${subject}" has no JSON Schema`)
      }
      return { id, until: performance.now() + NEWEST_MS }
    }
    const { id } = take(await ask(register ? `${of}/versions` : of, asked), subject)
    return { id, until: Number.POSITIVE_INFINITY }
  }

  return {
    async idOf(topic, type) {
      const subject = subjectOf(strategy, topic, type)
      const schema = texts.get(type)
      const name = schema === undefined ? subject : `${subject}\n${type}`
      const before = known.get(name)
      if (before && performance.now() < before.until) return before.id
      const finding = asking.get(name) ?? findOnce(name, () => find(subject, schema))
      try {
        return await finding
      } catch (error) {
        // An id stays what it is: one that may not be the newest is better than a message that waits.
        if (before && error instanceof UnreachableError) return before.id
        throw error
      }
    },
    async ping() {
      await ask('/subjects?limit=1')
    },
    close: () => agent.close(),
  }

  function findOnce(name: string, search: () => Promise<Known>): Promise<number> {
    const forget = () => asking.delete(name)
    const finding = search().then((found) => {
      if (known.size >= MOST_SUBJECTS) known.clear()
      known.set(name, found)
      return found.id
    })
    asking.set(name, finding)
    // What the registry has refused for one message of a batch is not asked again for the next.
    finding.then(forget, () => setTimeout(forget, PAUSE_MS).unref())
    return finding
  }
}

/** What becomes of a message whose schema has no id: a registry that is away costs no attempt. */
export function outcomeOfSchema(error: unknown): Outcome {
  return error instanceof UnreachableError ? unreachable(error) : refused(error)
}

export function subjectOf(strategy: SubjectStrategy, topic: string, type: string): string {
  if (strategy === 'topic') return `${topic}-value`
  return strategy === 'type' ? type : `${topic}-${type}`
}

interface Answer {
  readonly statusCode: number
  readonly said: {
    readonly id?: unknown
    readonly schemaType?: unknown
    readonly message?: unknown
  }
}

/** The id in an answer; throws what the registry has against the schema. */
function take({ statusCode, said }: Answer, subject: string): { id: number } {
  if (statusCode === 200 && typeof said.id === 'number') return { id: said.id }
  const { message = `the registry answered ${statusCode}` } = said
  const says = `subject "${subject}": ${String(message)}`
  if (statusCode === 404) throw new TransportError('SCHEMA_MISSING', says)
  if (statusCode === 409) throw new TransportError('SCHEMA_INCOMPATIBLE', says)
  throw new TransportError('SCHEMA_INVALID', says)
}

/** Not let in, too much at once, or its own failure: nothing about any message. */
function isAway(statusCode: number): boolean {
  return [401, 403, 407, 408, 429].includes(statusCode) || statusCode >= 500
}

async function loginOf(auth: SchemaRegistryOptions['auth']): Promise<string | undefined> {
  if (auth === undefined) return undefined
  if ('username' in auth) {
    return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
  }
  return `Bearer ${typeof auth.token === 'string' ? auth.token : await auth.token()}`
}

function readJson(text: string): Answer['said'] {
  try {
    return Object(JSON.parse(text)) as Answer['said']
  } catch {
    return { message: text.slice(0, 200) }
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown }
  return String(message || code || error)
}
