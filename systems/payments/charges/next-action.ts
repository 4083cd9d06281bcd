import type { StoredResponse } from '@posthorn/engine/inbox'
import type { Gateway, NextAction } from '@posthorn/gateway'
import type { Sealing } from '@posthorn/system'

/** Whose address or secret it is: sealed for one payment it opens for no other. */
const contextOf = (paymentId: string) => `payments.payments/${paymentId}/next_action`

function mapValue(action: NextAction, change: (value: string) => string): NextAction {
  return action.type === 'redirect'
    ? { type: 'redirect', url: change(action.url) }
    : { type: 'sdk', clientSecret: change(action.clientSecret) }
}

/**
 * The same gateway, which says what a customer authenticates with in sealed words only. So no table,
 * stored answer or log can have them readable; they are opened for an answer to a client alone.
 */
export function sealActions(gateway: Gateway, sealing: Sealing): Gateway {
  const sealed = async <Outcome extends { readonly kind: string }>(
    paymentId: string,
    asked: Promise<Outcome>,
  ): Promise<Outcome> => {
    const outcome = await asked
    if (!('nextAction' in outcome)) return outcome
    const seal = (value: string) => sealing.seal(value, contextOf(paymentId))
    return { ...outcome, nextAction: mapValue(outcome.nextAction as NextAction, seal) }
  }
  return {
    ...gateway,
    charge: (charge) => sealed(charge.reference, gateway.charge(charge)),
    authorise: (charge) => sealed(charge.reference, gateway.authorise(charge)),
    find: (charge) => sealed(charge.reference, gateway.find(charge)),
  }
}

/** What the customer of a payment authenticates with, readable. */
export function openAction(action: NextAction, paymentId: string, sealing: Sealing): NextAction {
  return mapValue(action, (value) => sealing.open(value, contextOf(paymentId)))
}

/** A stored answer as the client gets it, the same bytes every time. */
export function openResponse(response: StoredResponse, sealing: Sealing): StoredResponse {
  const text = Buffer.from(response.body).toString()
  if (!text.includes('"nextAction"')) return response
  const receipt = JSON.parse(text) as {
    readonly id: string
    readonly nextAction: NextAction
  }
  const nextAction = openAction(receipt.nextAction, receipt.id, sealing)
  return { ...response, body: Buffer.from(JSON.stringify({ ...receipt, nextAction })) }
}
