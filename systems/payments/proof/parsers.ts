import { Value } from 'typebox/value'
import { translateStripe, verifyStripe } from '@posthorn/gateway'
import { inPieces, json, readAll, type Parser } from '@posthorn/fuzz'
import { StripeEvent } from '../charges/inbound/routes.ts'
import { Findings } from '../reconciliation/formats/findings.ts'
import { readStatement } from '../reconciliation/formats/read-statement.ts'
import * as samples from '../reconciliation/formats/testing/samples.ts'
import { STANDARD_RULES } from '../reconciliation/profiles/standard.ts'

const statements = (format: 'csv' | 'camt.053' | 'mt940', texts: readonly string[]): Parser => ({
  name: `${format} statement`,
  samples: texts,
  read: (bytes) => {
    const reading = { bytes: inPieces(bytes), rules: STANDARD_RULES, findings: new Findings() }
    return readAll(readStatement(format, reading))
  },
})

const CHARGE = {
  ...{ id: 'evt_1', type: 'charge.refunded', created: 1_790_000_000 },
  data: {
    object: {
      ...{ id: 'ch_1', object: 'charge', amount: 1_000, currency: 'eur', payment_intent: 'pi_1' },
      refunds: { data: [{ id: 're_1', amount: 500, currency: 'eur', status: 'succeeded' }] },
      metadata: { posthorn_reference: 'p-1' },
    },
  },
}
const STRIPE_TYPES = [
  ...['charge.refunded', 'charge.dispute.created', 'charge.dispute.closed', 'refund.updated'],
  ...['payment_intent.succeeded', 'payment_intent.payment_failed', 'payment_intent.canceled'],
]

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** What payments read of strangers. */
export const parsers: readonly Parser[] = [
  statements('csv', ['external_transaction_id,amount,currency,date\nt1,12.50,EUR,2026-03-01\n']),
  statements('camt.053', [samples.CAMT_02, samples.CAMT_08]),
  statements('mt940', [samples.MT940_GERMAN, samples.MT940_DUTCH]),
  {
    name: 'signature of Stripe',
    samples: [`t=1790000000,v1=${'ab'.repeat(32)},v0=1`],
    read: async (bytes) => {
      const header = bytes.toString('latin1')
      if (verifyStripe(header, bytes, [secret]).ok) throw new Error('a forgery was believed')
    },
  },
  ...STRIPE_TYPES.map((type) =>
    json(`Stripe's ${type}`, { ...CHARGE, type }, (value) => {
      // What the route asks of an event before.
      if (Value.Check(StripeEvent, value)) translateStripe(value)
    }),
  ),
]
