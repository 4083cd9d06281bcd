// Fair shares, where everyone who has messages waiting gets an equal part of a batch, and priorities.
import type { ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { prepare, type Prepared } from '../../database/prepared.ts'
import { literal, unlessPaused, waitsCondition } from '../../outbox/clauses.sql.ts'

/** Which keys a walk visits: where it begins, and from which key it goes on. */
interface Walk {
  readonly name: string
  readonly from?: string
  readonly goesOn?: string
}

/** Who has messages that wait, and when the first is due: one look into the index for each. */
function walkKeys(
  definition: ResolvedDefinition,
  { by }: NonNullable<ResolvedDefinition['fair']>,
  { name, from, goesOn }: Walk,
): string {
  const { table, columns } = definition
  const { id, dueAt } = columns
  return `${name} as (
  (select ${by} as fair_key, ${dueAt} as due_at
     from ${table}
    where ${waitsCondition(definition)}${from === undefined ? '' : ` and ${by} ${from}`}
    order by ${by}, ${dueAt}, ${id}
    limit 1)
  union all
  select next.*
    from ${name}
   cross join lateral (
         select ${by}, ${dueAt}
           from ${table}
          where ${waitsCondition(definition)} and ${by} > ${name}.fair_key
          order by ${by}, ${dueAt}, ${id}
          limit 1
         ) as next${goesOn === undefined ? '' : `\n   where ${goesOn}`}
)`
}

/**
 * An equal share of the batch for each who has something due and room for more. As many are looked
 * for as a batch can serve, from the last claim's on and around: with thousands who wait, most of them
 * need not be looked at.
 */
export function dueByShares(
  definition: ResolvedDefinition,
  fair: NonNullable<ResolvedDefinition['fair']>,
  p: (param: string) => string,
): string {
  return shareCtes(definition, fair, { p, isLook: false })
}

/**
 * How many messages of each key a claim would take: a look, which locks nothing and writes nothing. With a
 * limit for each key it says what to ask permits for, and the claim then takes no more than was granted.
 */
export function lookByShares(
  definition: ResolvedDefinition,
  fair: NonNullable<ResolvedDefinition['fair']>,
): Prepared {
  return prepare(
    (p) => `with ${shareCtes(definition, fair, { p, isLook: true })}
select fair_key::text as key, count(*)::int as wanted
  from due
 group by fair_key`,
  )
}

function shareCtes(
  definition: ResolvedDefinition,
  fair: NonNullable<ResolvedDefinition['fair']>,
  { p, isLook }: { p: (param: string) => string; isLook: boolean },
): string {
  const { table, columns, states } = definition
  const { id, dueAt } = columns
  const isDue = `${waitsCondition(definition)} and ${fair.by} = fair_key
            and ${dueAt} <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
            and lost_claims = 0`
  const room =
    fair.atOnce === undefined ? undefined : roomOf(definition, { ...fair, atOnce: fair.atOnce })
  const { walks, picks } = picksOf(definition, fair, p)
  const { limited, granted } = limitsOf(definition, { p, isLook })
  const lock = (indent: string) => (isLook ? '' : `\n${indent}for update skip locked`)
  const picked = picks.map(
    ({ name, keys, condition }) => `${name} as materialized (
  select fair_key, first.*${room ? ', room' : ''}
    from ${keys}${room ? `\n   cross join lateral ${room.counted}` : ''}
   -- Locked: what another relay claims in this moment is no reason to serve nothing.
   cross join lateral (
         select ${dueAt} as first_due, ${id} as first_id
           from ${table}
          where ${isDue}
          order by ${dueAt}, ${id}
          limit 1${lock('            ')}
         ) as first
   where due_at <= posthorn.now()${condition}${limited}${room ? `\n     and ${room.isEnough(p('batch'))}` : ''}
     and ${unlessPaused(definition)}
   limit ${p('batch')}
)`,
  )
  const share = `ceil(${p('batch')}::float8 / ${picks.length > 1 ? 'case when shares < everyone then 2 else 1 end / ' : ''}shares)`
  // With a claimed state the statement says where a message came from.
  const from = states.claimed === undefined ? '' : `, ${columns.status}::text as claim_from`
  const everyone = picks.map(
    ({ name }, rank) =>
      `select ${rank} as rank, count(*) over () as shares, ${name}.* from ${name}`,
  )
  return `recursive ${[...walks, ...picked].join(',\n')},
eligible as materialized (
  select picked.*, count(*) over () as everyone
    from (${everyone.join('\n          union all ')}) as picked
   -- In no fixed order, or those at the end would wait whenever the batch is too small for all.
   order by rank, random()
),
due as (
  select ${isLook ? 'fair_key, ' : ''}mine.*
    from eligible
   cross join lateral (
         select ${id} as id${from}
           from ${table}
          where ${isDue}
            -- What is before it was settled or is claimed: it need not be looked at once more.
            and (${dueAt}, ${id}) >= (first_due, first_id)
          order by ${dueAt}, ${id}
          limit ${least([...(room ? ['room'] : []), ...granted, share])}::int${lock('            ')}
         ) as mine
   limit ${p('batch')}
)`
}

/** Which keys may go, and with a limit for each how many of each. */
function limitsOf(
  { limit }: ResolvedDefinition,
  { p, isLook }: { p: (param: string) => string; isLook: boolean },
): { limited: string; granted: string[] } {
  const and = '\n     and fair_key::text'
  if (isLook || limit?.by === undefined)
    return { limited: `${and} <> all(${p('full')}::text[])`, granted: [] }
  const keys = `${p('keys')}::text[]`
  return {
    limited: `${and} = any(${keys})`,
    granted: [`(${p('counts')}::int[])[array_position(${keys}, fair_key::text)]`],
  }
}

function least(numbers: readonly string[]): string {
  return numbers.length === 1 ? String(numbers[0]) : `least(${numbers.join(', ')})`
}

/**
 * The due messages of each priority, the smallest first: one look into the index for each priority that
 * has messages waiting, so that those of it that are not due yet are not read.
 */
export function dueByPriority(
  definition: ResolvedDefinition,
  priority: string,
  p: (param: string) => string,
): string {
  const { table, columns, states } = definition
  const { id, dueAt } = columns
  const from = states.claimed === undefined ? '' : `, ${columns.status}::text as claim_from`
  // A claim that is lost is met here where there is no claimed state, and only released.
  const free =
    states.claimed === undefined
      ? '\n            and (claimed_until is null or claimed_until < now())'
      : ''
  return `recursive ${walkKeys(definition, { by: priority }, { name: 'priorities' })},
due as (
  select mine.*
    from priorities
   cross join lateral (
         select ${id} as id${from}
           from ${table}
          where ${waitsCondition(definition)} and ${priority} = fair_key
            and ${dueAt} <= posthorn.now()${free}
            and lost_claims = 0
            and ${unlessPaused(definition)}
          order by ${dueAt}, ${id}
          limit ${p('batch')}
            for update skip locked
         ) as mine
   where due_at <= posthorn.now()
   limit ${p('batch')}
)`
}

/** Whose messages a claim takes: those that go first, as far as there are such, and the next others. */
function picksOf(
  definition: ResolvedDefinition,
  fair: NonNullable<ResolvedDefinition['fair']>,
  p: (param: string) => string,
) {
  const after = p('after')
  // Without a last claim, all keys are before it.
  const isBefore = (key: string) => `coalesce(${key} <= ${after}, true)`
  const walks = [
    walkKeys(definition, fair, { name: 'keys_after', from: `> ${after}` }),
    walkKeys(definition, fair, { name: 'keys_before', goesOn: isBefore('keys_before.fair_key') }),
  ]
  const keys = `(select * from keys_after union all select * from keys_before where ${isBefore('fair_key')}) as keys`
  if (fair.first === undefined) {
    return { walks, picks: [{ name: 'served', keys, condition: '' }] }
  }
  // Other keys may stand between them where the collation cares for neither case nor accents.
  const goesOn = `starts_with(lower(keys_first.fair_key::text), lower('${fair.first}'))`
  return {
    walks: [
      ...walks,
      walkKeys(definition, fair, { name: 'keys_first', from: `>= '${fair.first}'`, goesOn }),
    ],
    picks: [
      {
        name: 'served_first',
        keys: 'keys_first',
        condition: `\n     and starts_with(fair_key::text, '${fair.first}')`,
      },
      {
        name: 'served',
        keys,
        condition: '\n     and fair_key <> all(array(select fair_key from served_first))',
      },
    ],
  }
}

/**
 * How many more of one may be under way. Enough is room for a whole batch, or half of all: else every
 * confirmation would be answered by a claim of one.
 */
function roomOf(
  { table, columns, states }: ResolvedDefinition,
  { by, atOnce }: { readonly by: string; readonly atOnce: number },
) {
  return {
    counted: `(
         select ${atOnce} - count(*) as room
           from (select from ${table}
                  where ${by} = fair_key and ${columns.status} = ${literal(states.sent)}
                  limit ${atOnce}) as unconfirmed
         ) as sent`,
    isEnough: (batch: string) => `room >= least(${batch}::int, ${Math.ceil(atOnce / 2)})`,
  }
}

/** As `nextDue`, with one look into the index for each who has something that waits. */
export function nextDueByShares(
  definition: ResolvedDefinition,
  fair: NonNullable<ResolvedDefinition['fair']>,
  p: (param: 'sinceMs') => string,
): string {
  const { table, columns } = definition
  return `with recursive ${walkKeys(definition, fair, { name: 'fair_keys' })},
edge as (select posthorn.now() - ${p('sinceMs')}::float8 * interval '1 ms' as at)
select extract(epoch from min(coalesce(next.due_at, case when fair_keys.due_at > at then fair_keys.due_at end))
                          - posthorn.now()) * 1000 as ms
  from edge
 cross join fair_keys
  left join lateral (
       select ${columns.dueAt} as due_at
         from ${table}
        where ${waitsCondition(definition)} and ${fair.by} = fair_key
          and ${columns.dueAt} > at
          and (claimed_until is null or claimed_until < now())
          -- Else the walk has seen it.
          and fair_keys.due_at <= at
        order by ${columns.dueAt}
        limit 1
       ) as next on true`
}
