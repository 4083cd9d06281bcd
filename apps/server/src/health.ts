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

  const write = async () => {
    await readBacklog()
    return registry.metrics()
  }
  let written: { readonly at: number; readonly text: Promise<string> } | undefined
  app.get('/metrics', { schema: metrics, config: PROBE }, async (_request, reply) => {
    if (!written || performance.now() - written.at > SHARED_MS) {
      written = { at: performance.now(), text: write() }
    }
    return reply.type(registry.contentType).send(await written.text)
  })
}
