import { DeliveryError, refused, retryLater, type Delivery, type Outcome } from '@posthorn/engine'
import { TransportError } from '../errors.ts'

/** Holds back, in an ordered batch, what comes after a failed message of the same key. */
export interface Gate {
  admits(delivery: Delivery): boolean
  /** Must hear of every outcome before the next message of its key is asked about. */
  note(delivery: Delivery, outcome: Outcome): void
}

const OPEN: Gate = { admits: () => true, note: () => undefined }

export function createGate(ordered: boolean): Gate {
  if (!ordered) return OPEN
  const stopped = new Set<string>()
  return {
    admits: ({ message }) => message.key === undefined || !stopped.has(message.key),
    note({ message }, outcome) {
      if (outcome.kind !== 'delivered' && message.key !== undefined) stopped.add(message.key)
    },
  }
}

/** Not tried, because an earlier message of its key was not delivered. */
export function heldBackOutcome(): Outcome {
  return retryLater(
    new DeliveryError('HELD_BACK', 'An earlier message of the same key was not delivered.'),
    { charge: false },
  )
}

/** Not tried, because the delivery was called off. */
export function abortedOutcome(): Outcome {
  return retryLater(new TransportError('ABORTED'), { charge: false })
}

/** One of several messages that went together is at fault; the broker did not say which. */
export interface Faulty {
  readonly kind: 'faulty'
  readonly error: unknown
}

/**
 * Sends a batch as a whole. Where that fails because some message is at fault, sends those messages
 * again in halves, until the bad one is alone and refused: one bad message costs log n requests and
 * harms no other.
 */
export async function sendByHalves(
  batch: readonly Delivery[],
  gate: Gate,
  send: (admitted: readonly Delivery[]) => Promise<readonly (Outcome | Faulty)[]>,
): Promise<Outcome[]> {
  const admitted = batch.filter((delivery) => gate.admits(delivery))
  const results = new Map<Delivery, Outcome>()
  const settle = (delivery: Delivery, outcome: Outcome): void => {
    results.set(delivery, outcome)
    gate.note(delivery, outcome)
  }
  const answers = admitted.length > 0 ? await send(admitted) : []
  const faulty: { delivery: Delivery; error: unknown }[] = []
  admitted.forEach((delivery, i) => {
    const answer = answers[i] ?? abortedOutcome()
    if (answer.kind === 'faulty') faulty.push({ delivery, error: answer.error })
    else settle(delivery, answer)
  })
  const [first] = faulty
  if (first && faulty.length === 1) settle(first.delivery, refused(first.error))
  else if (faulty.length > 1) {
    const middle = Math.ceil(faulty.length / 2)
    for (const part of [faulty.slice(0, middle), faulty.slice(middle)]) {
      const half = part.map(({ delivery }) => delivery)
      const outcomes = await sendByHalves(half, gate, send)
      half.forEach((delivery, i) => settle(delivery, outcomes[i] ?? abortedOutcome()))
    }
  }
  return batch.map((delivery) => results.get(delivery) ?? heldBackOutcome())
}
