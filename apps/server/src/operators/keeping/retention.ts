import { toMs, transaction, type Duration } from '@posthorn/engine'
import { isPerOrganisation, type RetentionStatus } from '@posthorn/operate/internal'
import { readRetention, setRetention } from '@posthorn/operate'
import { callerOf, invalid, problem, requirePermission, type App } from '@posthorn/http'
import { nullable, NullableText } from '@posthorn/system'
import type { FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { RETENTION_EVERY_MS } from '../../retention.ts'
import type { OperatorParts } from '../index.ts'
import { Moment, textOrNull } from '../outboxes/outbox-registry.ts'

/** Who may see and change what is kept of an organisation. */
export const ADMIN = { access: 'administer' } as const

const Scope = Type.Union([Type.Literal('organisation'), Type.Literal('platform')], {
  default: 'organisation',
  description:
    '`organisation` is your own; `platform` sets the defaults for all, for platform operators only',
})

const DataClassResource = Type.Object({
  class: Type.String(),
  title: Type.String(),
  personal: Type.Boolean({ description: 'Whether this data can identify a person' }),
  leaves: Type.String({ description: 'Data that remains after removal' }),
  keep: Type.String({
    description: 'Retention in days, hours or minutes, such as 90d; or `forever`',
  }),
  keepSetBy: Type.Enum(['organisation', 'platform', 'default']),
  default: Type.String({ description: 'Default retention' }),
  least: nullable(Type.String(), {
    description: 'Shortest retention that may be set; null if there is none',
  }),
  settable: Type.Boolean({ description: 'Whether it can be set in this scope' }),
  oldestAt: Moment,
  due: nullable(Type.Integer(), {
    description:
      'Rows past their retention without a legal hold, up to 10,000; null if the count took too long',
  }),
  removed: Type.Integer({ description: 'Rows removed so far, of all organisations' }),
  lastRunAt: Moment,
  lastRemoved: nullable(Type.Integer()),
  lastError: NullableText,
  nextRunAt: Moment,
})

const tags = ['retention']
const schemas = {
  list: {
    summary: 'Retention of each class of data, and its progress',
    tags,
    querystring: Type.Object({ scope: Scope }),
    response: { 200: Type.Object({ items: Type.Array(DataClassResource) }) },
  },
  set: {
    summary: 'Set the retention of a class of data; null restores the default',
    description:
      'Returns 400 if the time is below the minimum of the class or cannot be set. The next run applies it.',
    tags,
    body: Type.Object({
      class: Type.String({ minLength: 1, maxLength: 100 }),
      keep: Type.Union([
        Type.String({
          pattern: '^(forever|\\d{1,6}(m|h|d))$',
          description: 'Retention in days (d), hours (h) or minutes (m), such as 90d; or `forever`',
        }),
        Type.Null(),
      ]),
      scope: Type.Optional(Scope),
    }),
    response: { 200: DataClassResource },
  },
}

export function retentionRoutes(app: App, { pool, retention }: OperatorParts): void {
  app.get('/api/v1/retention', { schema: schemas.list, config: ADMIN }, async (request) => {
    const { scope } = request.query
    const statuses = await readRetention(pool, retention, tenantIn(request, scope))
    return { items: statuses.map((status) => resourceOf(status, scope)) }
  })

  app.put('/api/v1/retention', { schema: schemas.set, config: ADMIN }, async (request) => {
    const { class: name, keep, scope = 'organisation' } = request.body
    const within = tenantIn(request, scope)
    const change = {
      ...{ class: name, ...within, by: callerOf(request).sub },
      keep: keep === null ? undefined : (keep as Duration | 'forever'),
    }
    const set = await transaction(pool, (tx) => setRetention(tx, retention, change))
    switch (set.kind) {
      case 'unknownClass':
        throw problem('NOT_FOUND', { detail: `There is no class of data "${name}".` })
      case 'fixed':
        throw invalid([{ field: 'class', reason: 'is kept for a time that cannot be set' }])
      case 'platformOnly':
        throw invalid([{ field: 'scope', reason: 'rows of all organisations go together here' }])
      case 'tooShort':
        throw invalid([{ field: 'keep', reason: `must be ${wordsOf(set.least)} or more` }])
      case 'set': {
        const classes = retention.classes.filter((each) => each.name === name)
        const [status] = await readRetention(pool, { classes }, within)
        if (!status) throw problem('NOT_FOUND')
        return resourceOf(status, scope)
      }
    }
  })
}

/** Whose times are meant: those of all organisations take an operator of the platform. */
function tenantIn(request: FastifyRequest, scope: Static<typeof Scope>): { tenant?: string } {
  const caller = callerOf(request)
  if (scope === 'organisation') return { tenant: caller.org }
  requirePermission(caller, 'operate-all')
  return {}
}

function resourceOf(
  { dataClass, keepMs, setBy, oldestAt, due, lastRun }: RetentionStatus,
  scope: Static<typeof Scope>,
): Static<typeof DataClassResource> {
  const { name, title, personal, leaves, keep, least, fixed } = dataClass
  const lastRunAt = lastRun?.endedAt ?? lastRun?.startedAt
  return {
    class: name,
    title,
    personal,
    leaves,
    keep: keepMs === undefined ? 'forever' : wordsOf(`${keepMs}ms`),
    keepSetBy: setBy,
    default: keep === 'forever' ? keep : wordsOf(keep),
    least: least === undefined ? null : wordsOf(least),
    settable: scope === 'platform' ? fixed !== true : isPerOrganisation(dataClass),
    oldestAt: textOrNull(oldestAt),
    due: due ?? null,
    removed: lastRun?.removed ?? 0,
    lastRunAt: textOrNull(lastRunAt),
    lastRemoved: lastRun?.lastRemoved ?? null,
    lastError: lastRun?.error ?? null,
    nextRunAt: textOrNull(lastRunAt && new Date(lastRunAt.getTime() + RETENTION_EVERY_MS)),
  }
}

/** In the largest unit of which it is a whole number, as `90d`. */
function wordsOf(duration: Duration): string {
  const ms = toMs(duration)
  if (ms % toMs('1d') === 0) return `${ms / toMs('1d')}d`
  return ms % toMs('1h') === 0 ? `${ms / toMs('1h')}h` : `${Math.round(ms / toMs('1m'))}m`
}
