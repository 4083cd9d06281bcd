import { createSchemaRegistry } from '@posthorn/transports/kafka'
import type { BrokerAccess } from '@posthorn/server'
import { examine, ok, warn, type Finding } from '../finding.ts'

/** Whether the topics have schemas, where subjects are named by topics: types are known to messages only. */
export async function checkSchemas(
  { schemaRegistry }: BrokerAccess,
  topics: readonly string[],
): Promise<readonly Finding[]> {
  if (schemaRegistry?.subject !== 'topic') return []
  const registry = createSchemaRegistry(schemaRegistry)
  const look = async (topic: string): Promise<Finding> => {
    try {
      return ok('kafka', `topic ${topic}: schema ${await registry.idOf(topic, '')}`)
    } catch (error) {
      if (Object(error).code !== 'SCHEMA_MISSING') throw error
      const todo = 'its messages are refused: register one'
      return warn('kafka', `topic ${topic} has no schema in the registry`, todo)
    }
  }
  try {
    return await examine('kafka', () => Promise.all(topics.map(look)))
  } finally {
    await registry.close()
  }
}
