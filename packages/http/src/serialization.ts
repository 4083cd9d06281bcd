import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify'

/**
 * Writes answers by their schemas, compiled with the first answer of their kind: all of them take
 * the better part of a second of every start, and most are never used.
 */
export function addSerialization(app: FastifyInstance): void {
  const compile = SerializerSelector()({}, {}) as FastifySerializerCompiler<unknown>
  app.setSerializerCompiler((route) => {
    let write: ReturnType<typeof compile> | undefined
    return (data) => (write ??= compile(route))(data)
  })
}
