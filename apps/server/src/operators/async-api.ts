import { asyncApi } from '@posthorn/operate/internal'
import type { App } from '@posthorn/http'
import { Type } from 'typebox'
import { PLATFORM } from './outboxes/outbox-registry.ts'
import manifest from '../../package.json' with { type: 'json' }

const schema = {
  summary: 'Outboxes, their messages and consumers as an AsyncAPI 3 document',
  tags: ['outboxes'],
  response: { 200: Type.Object({ asyncapi: Type.String() }, { additionalProperties: true }) },
}

/** Next to `/openapi.json`, but for operators: it names the topics and payloads of the inside. */
export function asyncApiRoute(
  app: App,
  parts: Omit<Parameters<typeof asyncApi>[0], 'title' | 'version'>,
): void {
  const document = asyncApi({ ...parts, title: 'Posthorn', version: manifest.version })
  app.get('/asyncapi.json', { schema, config: PLATFORM }, () => document as { asyncapi: string })
}
