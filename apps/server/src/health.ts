import type { App } from '@posthorn/http'
import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Readiness } from './readiness.ts'

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

const PUBLIC = { access: 'public' } as const

/** Never limited: a stranger's requests must not make a supervisor restart the process. */
const PROBE = { ...PUBLIC, rateLimit: false } as const

const healthz = {
  summary: 'Liveness: the process answers',
  tags: ['health'],
  response: { 200: Type.Object({ status: Type.Literal('ok') }) },
}

const readyz = {
  summary: 'Readiness: database, migrations, brokers',
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

  app.get('/metrics', { schema: metrics, config: PUBLIC }, async (_request, reply) => {
    await readBacklog()
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
