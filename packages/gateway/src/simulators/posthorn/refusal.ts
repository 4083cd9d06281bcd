import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'

/** How the gateway refuses, in words of its own. */
export const Refusal = Type.Object({
  error: Type.Object({ code: Type.String(), message: Type.String() }),
})

export function refuse(
  reply: FastifyReply,
  status: number,
  error: { readonly code: string; readonly message: string },
): FastifyReply {
  return reply.code(status).send({ error })
}
