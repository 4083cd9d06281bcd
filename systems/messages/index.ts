import { migrationsFrom } from '@posthorn/engine'
import { type Simulator, mail } from '@posthorn/simulators'
import { whatsapp } from './simulators/index.ts'
import {
  type Host,
  type Notify,
  type OpenSystem,
  type System,
  auditSource,
  defineSystem,
} from '@posthorn/system'
import { demo } from './demo.ts'
import { accountRoutes } from './accounts/routes.ts'
import { accountProbes } from './accounts/stops.ts'
import { keywordsOf } from './conversations/inbound.ts'
import { conversationRoutes } from './conversations/routes.ts'
import { dossierRoutes } from './dossiers/routes.ts'
import { figureRoutes } from './figures/routes.ts'
import { TRANSPORT, outboundOutbox } from './outbox.ts'
import { EmailProvider } from './providers/email.ts'
import { type Providers, type SendingAccount, providersOf } from './providers/provider.ts'
import { WhatsAppCloudApiProvider } from './providers/whatsapp.ts'
import { messageRetention } from './retention.ts'
import { messageRoutes } from './routes.ts'
import { MESSAGES_SETTINGS, type MessagesSettings, SIMULATOR } from './settings.ts'
import { parkedReports } from './statuses/parked-reports.ts'
import { webhookRoutes } from './statuses/routes.ts'
import { type TemplateLister, createTemplateLister } from './templates/import.ts'
import { templateRoutes } from './templates/routes.ts'
import { outboundTransport } from './worker.ts'
import { followMessages, searchMessages } from './things/queries.ts'

const definition = {
  name: 'messages',
  demo,
  settings: MESSAGES_SETTINGS,
  migrations: () => migrationsFrom('messages', new URL('./migrations/', import.meta.url)),
  web: new URL('./web/', import.meta.url),
  open(host: Host<MessagesSettings>, notify: Notify = async () => undefined): OpenSystem {
    const { pool, log, settings, sealing } = host
    const providers = openProviders(host)
    const outbox = outboundOutbox({
      providers,
      unheard: `${settings.OUTBOUND_WORKER_POLL_INTERVAL_MS}ms`,
      batch: settings.OUTBOUND_WORKER_BATCH_SIZE,
      atOnce: settings.OUTBOUND_WORKER_AT_ONCE,
      unknown: settings.OUTBOUND_UNKNOWN_OUTCOME,
      unknownWait: `${settings.OUTBOUND_UNKNOWN_WAIT_MS}ms`,
      stale: '10m',
    })
    return {
      outboxes: [outbox],
      audits: [auditSource('messages.audit_event', 'wall')],
      relayed: settings.OUTBOUND_WORKER_ENABLED ? [outbox] : [],
      transports: { [TRANSPORT]: outboundTransport({ pool, providers, sealing }) },
      workers: [
        parkedReports(pool, { outbox, log, providers, sealing }),
        accountProbes(pool, { outbox, providers, log }),
      ],
      searches: [searchMessages],
      follows: [followMessages],
      retention: messageRetention,
      simulators: simulatorsOf(settings),
      routes(app) {
        messageRoutes(app, { pool, outbox, providers })
        figureRoutes(app, { pool })
        dossierRoutes(app, { pool, outbox, providers })
        accountRoutes(app, { pool, outbox, providers, sealing })
        templateRoutes(app, { pool, sealing, lister: templateListerOf(host) })
        conversationRoutes(app, { pool, outbox, providers })
        webhookRoutes(app, {
          ...{ pool, outbox, log, providers, sealing, notify },
          keywords: keywordsOf({
            optOut: settings.WHATSAPP_OPT_OUT_KEYWORDS,
            optIn: settings.WHATSAPP_OPT_IN_KEYWORDS ?? '',
          }),
          defaultOrg: settings.WHATSAPP_INBOUND_ORG,
          appSecret: settings.WHATSAPP_APP_SECRET,
          verifyToken: settings.WHATSAPP_VERIFY_TOKEN,
          allowUnsigned: settings.WHATSAPP_ALLOW_UNSIGNED,
        })
      },
    }
  },
}

/** Messages to people: queued in a transaction, sent by a provider, settled by its webhooks. */
export const messages = defineSystem(definition)

/** The same, with events for customers' webhooks: `notify` writes them in the transaction. */
export function messagesWith({ notify }: { notify: Notify }): System {
  return defineSystem({ ...definition, open: (host) => definition.open(host, notify) })
}

function templateListerOf({ settings, baseUrl }: Host<MessagesSettings>): TemplateLister {
  const { WHATSAPP_API_URL: apiUrl, WHATSAPP_BUSINESS_ACCOUNT_ID: id } = settings
  return createTemplateLister({
    apiUrl: () => (apiUrl === SIMULATOR ? `${baseUrl()}/sim/whatsapp` : apiUrl),
    version: settings.WHATSAPP_API_VERSION,
    timeoutMs: settings.WHATSAPP_TIMEOUT_MS,
    own: {
      accessToken: settings.WHATSAPP_ACCESS_TOKEN,
      businessAccountId: id ?? (apiUrl === SIMULATOR ? SIMULATOR : null),
    },
  })
}

/** For each step of SMTP. */
const EMAIL_TIMEOUT_MS = 10_000

/** Recipients without a real address. */
function simulatorsOf(settings: MessagesSettings): Simulator[] {
  const { WHATSAPP_API_URL: apiUrl, OUTBOUND_EMAIL_URL: smtpUrl } = settings
  const { WHATSAPP_ACCESS_TOKEN: accessToken, WHATSAPP_APP_SECRET: appSecret } = settings
  return [
    ...(apiUrl === SIMULATOR ? [whatsapp({ accessToken, appSecret })] : []),
    ...(smtpUrl === SIMULATOR ? [mail()] : []),
  ]
}

function openProviders(host: Host<MessagesSettings>): Providers {
  const { settings, baseUrl, sealing } = host
  const ownAccount = (id: string, secret: string, numberIds: string[]): SendingAccount => ({
    ...{ id, orgId: null, accessToken: secret, numberIds },
    credentials: sealing.digest(secret, `messages.account ${id}`),
  })
  const { WHATSAPP_API_URL: apiUrl, OUTBOUND_EMAIL_URL: smtpUrl } = settings
  return providersOf([
    new WhatsAppCloudApiProvider({
      apiUrl: () => (apiUrl === SIMULATOR ? `${baseUrl()}/sim/whatsapp` : apiUrl),
      version: settings.WHATSAPP_API_VERSION,
      own: ownAccount(
        'whatsapp',
        settings.WHATSAPP_ACCESS_TOKEN,
        settings.WHATSAPP_PHONE_NUMBER_IDS.split(',').map((id) => id.trim()),
      ),
      perSecond: settings.WHATSAPP_MESSAGES_PER_SECOND,
      timeoutMs: settings.WHATSAPP_TIMEOUT_MS,
    }),
    new EmailProvider({
      smtpUrl: async () => (smtpUrl === SIMULATOR ? host.simulatorAddress('mail') : smtpUrl),
      own: ownAccount('email', smtpUrl, [settings.OUTBOUND_EMAIL_FROM]),
      from: settings.OUTBOUND_EMAIL_FROM,
      timeoutMs: EMAIL_TIMEOUT_MS,
    }),
  ])
}
