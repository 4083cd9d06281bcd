/*
 * What the things of this system are called, and where they are, for who searches and for journeys.
 */
import { amountText, type Found } from '@posthorn/system'

type Thing = Omit<Found, 'detail'>

export function paymentThing(row: {
  readonly id: string
  readonly amount: string
  readonly currency: string
}): Thing {
  const { id, amount, currency } = row
  const title = `Payment of ${amountText(amount, currency)}`
  return { kind: 'payment', id, title, to: `/payments?open=${id}` }
}

export function deliveryThing(row: { readonly id: string; readonly event_type: string }): Thing {
  const { id, event_type: type } = row
  return { kind: 'webhook', id, title: `Webhook ${type}`, to: `/webhooks/deliveries?open=${id}` }
}

/** A line of a statement has no id of its own: its file and number are its key, as approvals have it. */
export function lineThing(row: {
  readonly run_id: string
  readonly line_number: number
  readonly filename: string
  readonly amount: string
  readonly currency: string
}): Thing {
  const { run_id: run, line_number: line, filename, amount, currency } = row
  return {
    kind: 'statement line',
    id: `${run}/${line}`,
    title: `Line ${line} of ${filename}, ${amountText(amount, currency)}`,
    to: `/reconciliation/${run}?open=${line}`,
  }
}

const KEY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([1-9]\d{0,8})$/i

/** The file and number of a line; undefined for what is no key of one. */
export function keyOfLine(id: string): { readonly run: string; readonly line: number } | undefined {
  const [, run, line] = KEY.exec(id) ?? []
  return run === undefined ? undefined : { run, line: Number(line) }
}
