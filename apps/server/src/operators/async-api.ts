import { asyncApi } from '@posthorn/operate/internal'
import type { App } from '@posthorn/http'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import { PLATFORM } from './outboxes/outbox-registry.ts'
import manifest from '../../package.json' with { type: 'json' }

const schema = {
  summary: 'Outboxes, their messages and consumers as an AsyncAPI 3 document',
  tags: ['outboxes'],
  response: { 200: Type.Object({ asyncapi: Type.String() }, { additionalProperties: true }) },
}

/** Next to `/openapi.json`, but for operators: it names the topics and payloads of the inside. */
export function asyncApiRoute(app: App, { outboxes, ...parts }: OperatorParts): void {
  const shown = { ...parts, outboxes: [...outboxes.values()] }
  const document = asyncApi({ ...shown, title: 'Posthorn', version: manifest.version })
  app.get('/asyncapi.json', { schema, config: PLATFORM }, () => document as { asyncapi: string })
}
