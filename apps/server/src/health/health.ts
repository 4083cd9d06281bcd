import { transaction, type MigrationSet } from '@posthorn/engine'
import { migrationStatus } from '@posthorn/operate'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Brokers } from '../brokers/broker-catalogue.ts'
import { withoutSecrets } from '../log.ts'
import { selectOne, writeNothing } from '../queries.ts'
import { share } from '../share.ts'
import type { Work } from '../work.ts'

const Checked = Type.Object({
  ready: Type.Boolean(),
  checks: Type.Record(
    Type.String(),
    Type.Object({
      ok: Type.Boolean(),
      ms: Type.Integer(),
      reason: Type.Optional(Type.String()),
    }),
  ),
})

/** Never limited: a stranger's requests must not make a supervisor restart the process, nor blind it. */
const PROBE = { access: 'public', rateLimit: false } as const

/** Metrics are written out once for all who ask within this time: thousands of lines, for strangers too. */
const SHARED_MS = 250

const healthz = {
  summary: 'Liveness: the process answers',
  tags: ['health'],
  response: { 200: Type.Object({ status: Type.Literal('ok') }) },
}

const readyz = {
  summary: 'Readiness: database, a recent write, migrations, brokers',
  tags: ['health'],
  response: { 200: Checked, 503: Checked },
}

const metrics = { summary: 'Metrics for Prometheus', tags: ['health'], produces: ['text/plain'] }

export interface HealthOptions {
  readonly readiness: () => Promise<Readiness>
  readonly registry: Registry
  /** Brings the gauges about the tables up to date. */
  readonly readBacklog: () => Promise<void>
}

export function healthRoutes(app: App, { readiness, registry, readBacklog }: HealthOptions): void {
  app.get('/healthz', { schema: healthz, config: PROBE }, async () => ({ status: 'ok' as const }))

  app.get('/readyz', { schema: readyz, config: PROBE }, async (_request, reply) => {
    const answer = await readiness()
    return reply.code(answer.ready ? 200 : 503).send(answer)
  })

  const write = share(SHARED_MS, async () => {
    await readBacklog()
    return registry.metrics()
  })
  app.get('/metrics', { schema: metrics, config: PROBE }, async (_request, reply) =>
    reply.type(registry.contentType).send(await write()),
  )
}

/** How long one check may take before it counts as failed. */
export const PATIENCE_MS = 3_000

/** Answers are shared for this long: a probe must not be a load. */
const FRESH_MS = 1_000

export interface Check {
  readonly ok: boolean
  readonly ms: number
  /** What is wrong, without secrets. */
  readonly reason?: string
}

export interface Readiness {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, Check>>
}

export interface ReadinessOptions {
  readonly pool: Pool
  readonly migrations: readonly MigrationSet[]
  readonly brokers: Brokers
  readonly work: Pick<Work, 'listUnjoined'>
}

/** Says whether this process can do its work, and what is in the way. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const checkWrites = watchWrites(options.pool)
  return share(FRESH_MS, () => look(options, checkWrites))
}

/** Between two writes that only a probe asks for; one that failed is tried again at each look. */
const WRITE_EVERY_MS = 30_000

/** Whether a recent write went through: a database that answers may have a full disk. */
function watchWrites(pool: Pool): () => Promise<void> {
  let wroteAt = -Infinity
  return async () => {
    if (performance.now() - wroteAt < WRITE_EVERY_MS) return
    await transaction(pool, writeNothing)
    wroteAt = performance.now()
  }
}

async function look(
  { pool, migrations, brokers, work }: ReadinessOptions,
  checkWrites: () => Promise<void>,
): Promise<Readiness> {
  const pings = Object.entries(brokers.byName).flatMap(([name, broker]) => {
    return broker.ping ? [[name, () => broker.ping?.()] as const] : []
  })
  const named = [
    ['database', () => selectOne(pool)],
    ['writes', checkWrites],
    ['migrations', () => checkMigrations(pool, migrations)],
    ['consumers', async () => checkConsumers(work.listUnjoined())],
    ...pings,
  ] as const
  const checks = await Promise.all(
    named.map(async ([name, run]) => [name, await check(run)] as const),
  )
  return {
    ready: checks.every(([, { ok }]) => ok),
    checks: Object.fromEntries(checks),
  }
}

async function check(run: () => Promise<unknown> | undefined): Promise<Check> {
  const started = performance.now()
  const resultOf = (rest: { ok: boolean; reason?: string }) => {
    return { ...rest, ms: Math.round(performance.now() - started) }
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  try {
    await Promise.race([run(), late])
    return resultOf({ ok: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    return resultOf({ ok: false, reason: withoutSecrets(reason) })
  } finally {
    clearTimeout(timer)
  }
}

async function checkMigrations(pool: Pool, sets: readonly MigrationSet[]): Promise<void> {
  const status = await migrationStatus(pool, sets)
  const pending = status.filter(({ appliedAt }) => appliedAt === undefined).length
  if (pending > 0) throw new Error(`${pending} migrations are pending`)
}

function checkConsumers(unjoined: readonly string[]): void {
  if (unjoined.length > 0) throw new Error(`not reading yet: ${unjoined.join(', ')}`)
}
