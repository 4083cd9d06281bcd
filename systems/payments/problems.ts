import { defineProblems } from '@posthorn/http'

/** What payments and the gateway's webhooks refuse, beside the codes of @posthorn/http. */
export const PAYMENTS_PROBLEMS = {
  PAYMENT_DECLINED: { status: 422, title: 'The payment was declined' },
  GATEWAY_ERROR: { status: 422, title: 'The payment gateway failed' },
  PAYMENT_NOT_SUCCEEDED: { status: 409, title: 'Only a payment that succeeded can be refunded' },
  REFUND_EXCEEDS_PAYMENT: { status: 409, title: 'That is more than is left of the payment' },
  PAYMENT_NOT_AUTHORISED: {
    status: 409,
    title: 'Only a payment that stands authorised can be captured or voided',
  },
  CAPTURE_EXCEEDS_AUTHORISATION: { status: 409, title: 'That is more than is authorised' },
  WEBHOOK_SIGNATURE_INVALID: { status: 401, title: 'The signature of the webhook is not valid' },
  EVENT_ALREADY_APPLIED: { status: 409, title: 'The event was applied already' },
  APPROVAL_REQUIRED: { status: 409, title: 'This takes the approval of a second person' },
  PROPOSAL_PENDING: { status: 409, title: 'A proposal about the same thing waits already' },
  PROPOSAL_CLOSED: { status: 409, title: 'The proposal was decided already' },
  APPROVER_IS_PROPOSER: { status: 403, title: 'Another user must decide about your proposal' },
  NOT_THE_PROPOSER: { status: 403, title: 'Only its proposer can withdraw a proposal' },
  PAYMENT_NOT_HERE: { status: 409, title: 'The event names a payment that is not here' },
} as const

export const problem = defineProblems(PAYMENTS_PROBLEMS)
