import { wholeNumber } from '@posthorn/system'
import { Type, type Static } from 'typebox'

/** The word for an address that the host's own simulator has. */
export const SIMULATOR = 'simulator'

export const MESSAGES_SETTINGS = Type.Object({
  OUTBOUND_WORKER_ENABLED: Type.Boolean({
    description: 'false: this process sends no messages',
    default: true,
  }),
  OUTBOUND_WORKER_POLL_INTERVAL_MS: wholeNumber(
    'how often to poll for messages if notifications do not arrive, in ms',
    [10, 3_600_000, 5_000],
  ),
  OUTBOUND_WORKER_BATCH_SIZE: wholeNumber('messages per claim', [1, 1_000, 10]),
  OUTBOUND_WORKER_AT_ONCE: wholeNumber('messages in flight at once per process', [1, 10_000, 40]),
  OUTBOUND_UNKNOWN_OUTCOME: Type.Enum(['resend', 'hold'], {
    description: 'resend or hold: for messages that may have been sent',
    default: 'resend',
  }),
  OUTBOUND_UNKNOWN_WAIT_MS: wholeNumber(
    'how long a status may still settle such a message first, in ms',
    [1_000, 86_400_000, 120_000],
  ),
  WHATSAPP_API_URL: Type.String({
    description: "Graph API, https://graph.facebook.com; simulator: the server's own",
    pattern: '^(simulator|https?://[^\\s]+[^/\\s])$',
    default: SIMULATOR,
    production: 'required',
  }),
  WHATSAPP_API_VERSION: Type.String({
    description: 'version of the Graph API in paths',
    pattern: '^v\\d{1,3}\\.\\d{1,2}$',
    default: 'v23.0',
  }),
  WHATSAPP_ACCESS_TOKEN: Type.String({
    description: 'token of the WhatsApp business account',
    minLength: 1,
    default: 'simulated-access-token',
    secret: true,
    production: 'required',
  }),
  WHATSAPP_APP_SECRET: Type.String({
    description: 'secret by which WhatsApp signs webhooks',
    minLength: 1,
    default: 'simulated-app-secret',
    secret: true,
    production: 'required',
  }),
  WHATSAPP_VERIFY_TOKEN: Type.String({
    description: "token of WhatsApp's handshake for webhooks",
    minLength: 1,
    default: 'simulated-verify-token',
    secret: true,
    production: 'required',
  }),
  WHATSAPP_BUSINESS_ACCOUNT_ID: Type.Optional(
    Type.String({
      description: 'id of the WhatsApp business account, to import its templates',
      pattern: '^\\d{1,30}$',
    }),
  ),
  WHATSAPP_PHONE_NUMBER_IDS: Type.String({
    description: 'ids of the numbers to send from, separated by commas',
    pattern: '^\\d{1,30}(\\s*,\\s*\\d{1,30})*$',
    default: '106540352242922',
    production: 'required',
  }),
  WHATSAPP_MESSAGES_PER_SECOND: wholeNumber(
    "messages a second per number, at most; 0: no limit. Meta's limit is 80",
    [0, 10_000, 75],
  ),
  WHATSAPP_TIMEOUT_MS: wholeNumber(
    "longest wait for WhatsApp's answer, in ms",
    [100, 120_000, 10_000],
  ),
  WHATSAPP_ALLOW_UNSIGNED: Type.Boolean({
    description: 'true accepts webhooks without a signature',
    default: false,
  }),
  WHATSAPP_OPT_OUT_KEYWORDS: Type.String({
    description: 'words by which a person withdraws consent, separated by commas',
    maxLength: 1_000,
    default: 'STOP,UNSUBSCRIBE,CANCEL,END,QUIT,PARAR,BAJA,SALIR,SAIR,CANCELAR',
  }),
  WHATSAPP_OPT_IN_KEYWORDS: Type.Optional(
    Type.String({
      description: 'words that grant consent again, such as START; none by default',
      maxLength: 1_000,
    }),
  ),
  WHATSAPP_INBOUND_ORG: Type.Optional(
    Type.String({
      description: 'organisation that gets messages of people to whom no organisation has written',
      minLength: 1,
      maxLength: 200,
    }),
  ),
  OUTBOUND_EMAIL_URL: Type.String({
    description:
      "mail server for the channel email, smtp(s)://user:password@host:587; simulator: the server's own",
    pattern: '^(simulator$|smtps?://)',
    default: SIMULATOR,
    secret: true,
    production: 'required',
  }),
  OUTBOUND_EMAIL_FROM: Type.String({
    description: 'sender of the channel email',
    minLength: 3,
    maxLength: 254,
    default: 'messages@posthorn.example',
  }),
})

export type MessagesSettings = Static<typeof MESSAGES_SETTINGS>
