import { defineProblems } from '@posthorn/http'

/** What payments, webhooks and reconciliation refuse, next to the codes of @posthorn/http. */
export const PAYMENTS_PROBLEMS = {
  PAYMENT_DECLINED: { status: 422, title: 'The payment was declined' },
  GATEWAY_ERROR: { status: 422, title: 'The payment gateway failed' },
  PAYMENT_NOT_SUCCEEDED: { status: 409, title: 'Only a payment that succeeded can be refunded' },
  PAYMENT_DISPUTED: { status: 409, title: 'A dispute has taken the money back' },
  REFUND_EXCEEDS_PAYMENT: { status: 409, title: 'The refund exceeds the rest of the payment' },
  PAYMENT_NOT_AUTHORISED: {
    status: 409,
    title: 'Only an authorised payment can be captured or voided',
  },
  CAPTURE_EXCEEDS_AUTHORISATION: {
    status: 409,
    title: 'The capture exceeds the authorised amount',
  },
  WEBHOOK_SIGNATURE_INVALID: { status: 401, title: 'The signature of the webhook is not valid' },
  EVENT_ALREADY_APPLIED: { status: 409, title: 'The event was applied already' },
  APPROVAL_REQUIRED: { status: 409, title: 'A second person must approve this' },
  PROPOSAL_PENDING: { status: 409, title: 'The same proposal is open already' },
  PROPOSAL_CLOSED: { status: 409, title: 'The proposal was decided already' },
  APPROVER_IS_PROPOSER: { status: 403, title: 'Another user must decide about your proposal' },
  NOT_THE_PROPOSER: { status: 403, title: 'Only its proposer can withdraw a proposal' },
  PAYMENT_NOT_HERE: { status: 409, title: 'The event names an unknown payment' },

  // Outbound webhooks
  URL_NOT_ALLOWED: { status: 400, title: 'Webhooks may not go to this URL' },
  ENDPOINT_DISABLED: { status: 409, title: 'The endpoint is disabled' },
  ENDPOINT_LIMIT: { status: 409, title: 'There are too many endpoints' },
  DELIVERY_NOT_FINISHED: { status: 409, title: 'The delivery is still being attempted' },

  // Reconciliation
  RECONCILIATION_BUSY: { status: 409, title: 'Another reconciliation is in progress' },
  RECONCILIATION_DISCARDED: { status: 409, title: 'The file was discarded' },
  RECONCILIATION_NOT_RUN: { status: 409, title: 'The file has not been reconciled yet' },
  DECISION_STALE: { status: 409, title: 'The record has changed since it was read' },
  DECISION_NOT_POSSIBLE: { status: 409, title: 'The record is not in a state that allows this' },
  PAYMENT_TAKEN: { status: 409, title: 'A payment or refund belongs to another record already' },
  AMOUNTS_DIFFER: {
    status: 409,
    title: 'Payments, refunds and adjustment do not add up to the record',
  },
  PART_TOO_LARGE: { status: 409, title: 'The record exceeds the rest of its payment' },
  CURRENCIES_DIFFER: { status: 409, title: 'The payments are in another currency than the record' },
  SUGGESTION_CLOSED: { status: 409, title: 'The suggestion is no longer open' },

  // Uploads
  FILE_ALREADY_UPLOADED: { status: 409, title: 'This file has been uploaded before' },
  STATEMENT_ALREADY_UPLOADED: {
    status: 409,
    title: 'A statement of this file has been uploaded before',
  },
  NO_ROOM_FOR_FILE: { status: 503, title: 'The server has no room for the file at the moment' },
  TOO_MANY_UPLOADS: { status: 429, title: 'Too many files are being uploaded' },

  // Profiles
  PROFILE_NAME_TAKEN: { status: 409, title: 'There is a profile of this name' },
  PROFILE_CHANGED: { status: 409, title: 'The profile has a newer version' },
  PROFILE_LIMIT: { status: 409, title: 'There are too many profiles' },
} as const

export const problem = defineProblems(PAYMENTS_PROBLEMS)
