import { finished } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { partyOf } from './access.ts'
import { isArriving } from './body-timeout.ts'

/** Refusals of one party that are answered at once, each second. */
const AT_ONCE = 20
/** How long the others wait, and how long a refused body may take to come. */
const HELD_MS = 1_000
/** The longest body that is read to its end for the sake of its connection. */
const DISCARDED_BYTES = 1_048_576

/** Refuses a request, at once or later. */
export type HoldRefusal = (request: FastifyRequest, refuse: () => void) => void

/**
 * Answers those late who go on asking although they were refused: otherwise each refusal brings the
 * next request, and hundreds of connections keep the event loop busy with refusals alone. A body that
 * is refused is thrown away first, since a connection with an unread one has to be closed, and the
 * next attempt makes a new one: libuv accepts one in each turn of the event loop, so that sixty of
 * them, at turns of 10 ms, keep everybody's next connection waiting for 600 ms.
 */
export function createHeldRefusals(now: () => number = Date.now): HoldRefusal {
  let counts = new Map<string, number>()
  let ends = 0
  const isFrequent = (party: string) => {
    if (now() >= ends) {
      counts = new Map()
      ends = now() + HELD_MS
    }
    const refused = (counts.get(party) ?? 0) + 1
    counts.set(party, refused)
    return refused > AT_ONCE
  }
  return (request, refuse) => {
    const isHeld = isFrequent(partyOf(request))
    const isDiscarded = isArriving(request) && isShort(request)
    if (!isHeld && !isDiscarded) return refuse()
    // Others may be worked on meanwhile.
    request.endTurn?.()
    const timer = setTimeout(refuse, HELD_MS)
    if (!isDiscarded) return
    request.raw.resume()
    if (isHeld) return
    finished(request.raw, () => {
      clearTimeout(timer)
      refuse()
    })
  }
}

/** Chunks are not: their length is not known. */
function isShort({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length']) <= DISCARDED_BYTES
}
