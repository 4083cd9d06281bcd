import { defineProblems } from '@posthorn/http'

/** What this system refuses, beside the codes of @posthorn/http. */
export const MESSAGES_PROBLEMS = {
  CONSENT_REQUIRED: { status: 403, title: 'The dossier has not granted consent for this channel' },
  RECIPIENT_OPTED_OUT: { status: 403, title: 'The recipient has withdrawn consent' },
  SESSION_CLOSED: { status: 409, title: 'Free text can no longer be sent in this conversation' },
  INVALID_STATE: { status: 409, title: 'The state of the message does not allow this' },
  CONTENTS_REMOVED: { status: 409, title: 'The contents of the message are no longer kept' },
  ACCOUNT_NAME_TAKEN: { status: 409, title: 'Another account of the organisation has this name' },
  ACCOUNT_IN_USE: { status: 409, title: 'Messages still wait for this account' },
  ACCOUNT_REFUSED: { status: 409, title: 'WhatsApp refuses the account' },
  TEMPLATES_UNREADABLE: { status: 502, title: 'WhatsApp did not list its templates' },
  WEBHOOK_SIGNATURE_INVALID: { status: 401, title: 'The signature of the webhook is not valid' },
  WEBHOOK_HANDSHAKE_REFUSED: { status: 403, title: 'The handshake of the webhook is refused' },
} as const

export const problem = defineProblems(MESSAGES_PROBLEMS)
