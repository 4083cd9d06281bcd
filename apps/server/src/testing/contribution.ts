import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'

/*
 * What a system adds to the tests of a whole server, in test/systems. Each system exports it as
 * `serverTests` from its `testing/server-tests.ts`; the tests find those files themselves.
 */
export interface ServerTests {
  readonly access?: AccessTests
  readonly sorting?: SortingTests
  readonly foreign?: ForeignTests
  readonly secrets?: SecretTests
  readonly retention?: RetentionTests
  readonly journey?: JourneyTests
  /** Sentences that the demo says of it. */
  readonly demo?: readonly string[]
  readonly audit?: {
    /** Writes `noted` about a thing of the organisation `demo` into its audit. */
    note(pool: Pool, id: string): Promise<void>
    /** Its entries have the time of the business clock too. */
    readonly hasBusinessTime: boolean
  }
}

/** Who may call its routes: patterns of `GET /api/v1/things/{id}`. Else GET reads, the rest writes. */
export interface AccessTests {
  readonly public?: RegExp
  /** Let in by a signature, and by no token. */
  readonly signed?: RegExp
  readonly operators?: RegExp
  readonly admins?: RegExp
  readonly approvers?: RegExp
  /** Reads with another method than GET. */
  readonly reading?: RegExp
  /** Open to the token of a portal. */
  readonly portal?: RegExp
}

/** The id that `{id}` is in the path of a list that can be sorted. */
export const SEEDED_ID = '01890a5d-ac00-774b-bcce-b302099a8057'

export interface SortingTests {
  /** Seven rows for each list in two organisations, from the temporary table `n (n, org, id)`. */
  readonly seed: string
  /** The paths of its lists that can be sorted. */
  readonly lists: readonly string[]
}

export type Body = Record<string, unknown>

/** Things by room, and in it by the name that paths give the id. */
export type Things = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** An operator of an organisation, who may do all that its people may. */
export interface Operator {
  readonly org: string
  /** A telephone number that only this organisation writes to. */
  readonly number: string
  readonly token: string
  readonly url: string
  ask(method: string, path: string, body?: Body): Promise<Answer>
  /** These three fail if they are refused. */
  make(path: string, body?: Body): Promise<Body>
  put(path: string, body: Body): Promise<Body>
  upload(path: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<Body>
  items(path: string): Promise<Body[]>
  /** The id of the first item; waits until there is one. */
  first(path: string): Promise<string>
  untilIs(path: string, status: string): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly body: Body
}

/** Two organisations with something in every room. */
export interface ForeignWorld {
  readonly ours: Operator
  readonly theirs: Operator
  readonly foreign: Things
  /** An answer in which ids and times cannot be told from each other. */
  withoutIds(text: string): string
}

/** A request whose field names a thing by its id. */
export interface Naming {
  /** `path field`, the path without `/api/v1/`. */
  readonly field: string
  readonly id: unknown
  readonly body: (id: unknown) => Body
}

export interface ForeignTests {
  /** One thing in each of its rooms: what paths have between `/api/v1/` and an id. */
  make?(operator: Operator): Promise<Things>
  /** Things that filters are asked for, as `room name`. */
  readonly sought?: readonly string[]
  naming?(world: ForeignWorld): readonly Naming[]
  /** Fields that hold names which others give, and no id of ours. */
  readonly outside?: readonly string[]
  /** What a route needs to get as far as looking for the thing, by `METHOD room last-word`. */
  readonly bodies?: Readonly<Record<string, Body>>
  /** Paths with a name in them that is no organisation's, and why. */
  readonly explained?: readonly (readonly [RegExp, string])[]
  /** Rooms whose names organisations choose; two may choose the same. */
  readonly chosen?: readonly string[]
  /** Further tests by their names, after the lists and before the sweep. */
  readonly also?: Readonly<Record<string, (world: ForeignWorld) => Promise<void>>>
  /** Expects that nothing of theirs has changed, after the sweep. */
  unchanged?(world: ForeignWorld): Promise<void>
}

/** What a setting is set to, and what of it must be found nowhere. */
export interface GivenSecret {
  readonly value: string
  readonly secret: string
}

export type Secrets = Readonly<Record<string, string>>

/** A server whose secrets are searched for, as an operator of the platform. */
export interface SecretServer {
  readonly url: string
  readonly token: string
  ask(path: string, body?: unknown, method?: string): Promise<{ status: number; body: Body }>
  /** The body of what was made; fails if it is refused. */
  make(path: string, body: object, org?: string): Promise<Body>
}

export interface SecretTests {
  /** A new secret for each of its settings that is one. */
  settings?(): Readonly<Record<string, GivenSecret>>
  /** The same for servers that refuse it, with the environment that leads there. */
  neighbours?(): Readonly<Record<string, GivenSecret>>
  readonly neighbourhood?: Readonly<Record<string, string>>
  /** Settings with which no secret leaves for a queue or a topic in clear. */
  readonly careful?: Readonly<Record<string, string>>
  /** Checks of `/readyz` that fail there. */
  readonly away?: readonly string[]
  /** Needs those servers; the answers, which are searched too. */
  provoke?(server: SecretServer): Promise<string>
  /** Hands over secrets of customers before the demo. */
  give?(server: SecretServer): Promise<Secrets>
  /** Secrets that the demo has made. */
  find?(server: SecretServer): Promise<Secrets>
  /** Words that its tables have after the demo: the search finds them. */
  readonly written?: readonly string[]
  /** Pages that must be looked at. */
  readonly pages?: readonly RegExp[]
  /** Paths that are answered with a mistake. */
  readonly mistakes?: readonly string[]
  /** Settings that only sound like a secret. */
  readonly open?: readonly string[]
}

/** Something that nobody can guess. */
export const secretWord = () => randomBytes(18).toString('hex')

export function plainSecret(begin = ''): GivenSecret {
  const value = `${begin}${secretWord()}`
  return { value, secret: value }
}

export interface RetentionTests {
  /**
   * A block of PL/pgSQL that fills each of its tables with rows of one organisation. It reads `org`,
   * `at`, `over`, `email`, `phone`, `external`, `note` and `person`, and adds the ids on which a legal
   * hold can be placed to `things`.
   */
  readonly world: string
  /** Expressions that an erasure leaves as they are. */
  readonly sums?: Readonly<Record<string, string>>
  /** A table in which a person stays while rows are in flight. */
  readonly busy?: string
  /** A kind of thing, and a table in which a person stays while it is held. */
  readonly held?: { readonly kind: string; readonly table: string }
  /** Expects what an erasure leaves. */
  erased?(pool: Pool): Promise<void>
}

export interface JourneyTests {
  /** What its things share with those of other systems. */
  readonly links: readonly ('case' | 'reference')[]
  /** Writes one of each of its things, each linked to the next; their ids. */
  write(pool: Pool, world: JourneyWorld): Promise<Readonly<Record<string, string>>>
  /** Other names by which they are found. */
  names?(things: Readonly<Record<string, string>>): readonly string[]
  readonly kinds: readonly string[]
  /** What the timeline says. */
  readonly says: readonly string[]
  /** Outboxes in which things are messages, by kind. */
  readonly outboxes?: Readonly<Record<string, string>>
}

export interface JourneyWorld {
  readonly org: string
  readonly case: string
  readonly reference: string
}
