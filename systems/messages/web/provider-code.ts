/** What a provider's code means for the message, and what to do next. */
interface ProviderMeaning {
  readonly meaning: string
  readonly advice: string
}

const RECIPIENT = 'Use another channel; sending again will not help.'
const TEMPLATE = "Correct the template or its parameters in WhatsApp's manager, then send again."
const ACCOUNT = 'Fix the account at Meta. Its messages wait until then.'
const WAIT = 'No action needed: the number pauses by itself and the message is sent afterwards.'
const CONTENT = 'Correct what is sent, then send a new message.'

const REGISTRATION = /^(131045|1330(00|05|06|08|09|10|15|16))$/

/** Codes of Meta's own table, and ours. A code that is not here is retried and shown alone. */
const MEANINGS: Readonly<Record<string, ProviderMeaning>> = {
  ACCOUNT_STOPPED: {
    meaning: 'The provider refuses the account that sends it.',
    advice: 'See the page Accounts for the cause. It is sent when the account works again.',
  },
  ACCOUNT_UNREADABLE: {
    meaning: 'The credentials of the account cannot be opened.',
    advice: 'Give the server the key they were sealed with, or enter them again.',
  },
  ACCOUNT_MISSING: { meaning: 'The account was deleted.', advice: CONTENT },
  '0': { meaning: 'Meta does not accept the access token.', advice: ACCOUNT },
  '3': { meaning: 'The app lacks a permission.', advice: ACCOUNT },
  '4': { meaning: 'The app exceeded its call limit.', advice: WAIT },
  '10': { meaning: 'The app lacks a permission.', advice: ACCOUNT },
  '33': { meaning: 'The sending number was deleted.', advice: ACCOUNT },
  '100': { meaning: 'A parameter of the request is not valid.', advice: CONTENT },
  '104': { meaning: 'The access token is missing.', advice: ACCOUNT },
  '190': { meaning: 'The access token has expired.', advice: ACCOUNT },
  '368': { meaning: 'Meta has blocked the account for a while.', advice: ACCOUNT },
  '613': { meaning: 'The app exceeded its call limit.', advice: WAIT },
  '80007': { meaning: 'The account exceeded its sending limit.', advice: WAIT },
  '130429': { meaning: 'The number sends more than it may per second.', advice: WAIT },
  '130472': {
    meaning: 'Meta keeps messages from this person for an experiment.',
    advice: RECIPIENT,
  },
  '130497': { meaning: 'The account may not write to this country.', advice: RECIPIENT },
  '131005': { meaning: 'The app lacks a permission.', advice: ACCOUNT },
  '131008': { meaning: 'A parameter is missing.', advice: CONTENT },
  '131009': { meaning: 'A parameter has a value that is not allowed.', advice: CONTENT },
  '131021': { meaning: 'Sender and recipient are the same number.', advice: CONTENT },
  '131026': {
    meaning:
      'WhatsApp cannot deliver to this number: it is not on WhatsApp, or its app is too old.',
    advice: RECIPIENT,
  },
  '131030': {
    meaning: 'A test number may only write to numbers on its list.',
    advice: 'Add the recipient to the list at Meta, then send again.',
  },
  '131031': { meaning: 'The account is locked.', advice: 'Have Meta unlock it, then send again.' },
  '131037': { meaning: 'The display name of the number is not approved.', advice: ACCOUNT },
  '131042': { meaning: 'Meta cannot charge the account.', advice: ACCOUNT },
  '131047': {
    meaning: 'The person has not written for more than 24 hours, so only a template is allowed.',
    advice: 'Send an approved template, or wait until the person writes.',
  },
  '131048': { meaning: 'Too many people reported messages of this number.', advice: ACCOUNT },
  '131049': {
    meaning: 'Meta did not deliver it, to spare this person more marketing.',
    advice: 'Wait a day or more before you send again.',
  },
  '131050': {
    meaning: 'The person has opted out of marketing.',
    advice: 'Withdraw the consent of the dossier; do not send again.',
  },
  '131051': { meaning: 'WhatsApp does not know this type of message.', advice: CONTENT },
  '131052': { meaning: 'A file of the message could not be downloaded.', advice: CONTENT },
  '131053': { meaning: 'A file of the message could not be uploaded.', advice: CONTENT },
  '131055': { meaning: 'The number may not use this way of sending.', advice: CONTENT },
  '131056': { meaning: 'Too many messages to this person within seconds.', advice: WAIT },
  '132000': { meaning: 'The template takes another number of parameters.', advice: TEMPLATE },
  '132001': { meaning: 'There is no such approved template in this language.', advice: TEMPLATE },
  '132005': { meaning: 'With its parameters the template is too long.', advice: TEMPLATE },
  '132007': { meaning: "The template is against WhatsApp's policy.", advice: TEMPLATE },
  '132012': { meaning: 'A parameter has another form than the template wants.', advice: TEMPLATE },
  '132015': { meaning: 'The template is paused for its quality.', advice: TEMPLATE },
  '132016': { meaning: 'The template is disabled for good.', advice: TEMPLATE },
  '132068': { meaning: 'The flow of the template is blocked.', advice: TEMPLATE },
  '133004': {
    meaning: 'The registration server of WhatsApp was not available.',
    advice: 'Send again in some minutes.',
  },
  '134011': { meaning: "Meta's terms of payment are not accepted.", advice: ACCOUNT },
  '134100': { meaning: 'Marketing messages are not open to the account.', advice: ACCOUNT },
  '134101': { meaning: 'The template is not of the kind that this way takes.', advice: TEMPLATE },
  '135000': { meaning: 'WhatsApp refused the request without details.', advice: CONTENT },
  OUTCOME_UNKNOWN: {
    meaning: 'The provider accepted the request but did not answer and sent no report.',
    advice: 'Ask the recipient before you send again: it may have arrived.',
  },
  PROVIDER_SILENT: {
    meaning: 'The provider did not answer in time.',
    advice: 'No action needed: the worker waits for the report, then applies the policy.',
  },
  PROVIDER_UNREACHABLE: {
    meaning: 'The provider could not be reached.',
    advice: 'Check the network and the provider’s address. The worker retries.',
  },
  SENDER_PAUSED: { meaning: 'The sending number pauses after a limit.', advice: WAIT },
  SENDER_PACED: { meaning: 'The sending number has its own queue.', advice: WAIT },
  SESSION_CLOSED: {
    meaning: 'More than 24 hours had passed since the person’s last message.',
    advice: 'Send a template. When the person answers, free text can be sent again.',
  },
  CONSENT_WITHDRAWN: {
    meaning: 'The person has withdrawn consent.',
    advice: 'No action needed. If consent is granted again, send a new message.',
  },
}

/** Undefined for a code that is explained elsewhere or not at all. */
export function providerMeaning(code: string): ProviderMeaning | undefined {
  if (Object.hasOwn(MEANINGS, code)) return MEANINGS[code]
  if (REGISTRATION.test(code)) {
    return { meaning: 'The sending number is not registered as it should be.', advice: ACCOUNT }
  }
  const [, kind, number = ''] = /^(?:(HTTP|SMTP)_)?(\d{3,6})$/.exec(code) ?? []
  if (kind === 'SMTP') return smtpMeaning(number)
  if (kind === 'HTTP') {
    return {
      meaning: `The provider's address answered ${number}with a body that is not the provider’s.`,
      advice: 'Check for a proxy in between. The worker retries.',
    }
  }
  if (kind === undefined && Number(number) >= 200 && Number(number) <= 299) {
    return { meaning: 'The app lacks a permission.', advice: ACCOUNT }
  }
  return undefined
}

function smtpMeaning(number: string): ProviderMeaning {
  return number.startsWith('4')
    ? {
        meaning: 'The mail server refused the mail for now.',
        advice: 'No action needed: the worker retries.',
      }
    : { meaning: 'The mail server refused the mail for good.', advice: RECIPIENT }
}
