import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { transaction } from '@posthorn/engine'
import type { App } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type, type Static, type TObject } from 'typebox'
import { Id, uuidIn, type Sealing } from '@posthorn/system'
import { openSecret, toSendingAccount, webhookPathOf } from '../accounts/account.ts'
import { readNotices, takeNotices } from '../accounts/notices.ts'
import { findAccount } from '../accounts/queries.ts'
import { readInbound } from '../conversations/inbound.ts'
import { takeInbound, type InboundIntake } from '../conversations/intake.ts'
import { problem } from '../problems.ts'
import type { SendingAccount } from '../providers/provider.ts'
import { takeReports, type Intake, type Reports } from './intake.ts'
import { readReports, WebhookBody, type Report } from './report.ts'

export interface WebhookOptions extends Intake, InboundIntake {
  readonly pool: Pool
  readonly sealing: Sealing
  readonly appSecret: string
  readonly verifyToken: string
  readonly allowUnsigned: boolean
}

const PATH = '/api/v1/webhooks/whatsapp/inbound'

/** More than Meta ever sends at once, which is 3 MB. */
const MOST_BYTES = 4 * 1_048_576

const Handshake = Type.Object(
  {
    'hub.mode': Type.Optional(Type.String()),
    'hub.verify_token': Type.Optional(Type.String()),
    'hub.challenge': Type.Optional(Type.String({ maxLength: 1_000 })),
  },
  { additionalProperties: true },
)

const handshake = {
  summary: "Answer WhatsApp's handshake: returns the challenge if the token matches",
  tags: ['messages'],
  querystring: Handshake,
  response: { 200: Type.String() },
}

const inbound = {
  summary: "Receive messages of people and WhatsApp's reports about sent ones",
  tags: ['messages'],
  body: WebhookBody,
  response: { 200: Type.Object({ received: Type.Integer() }) },
}

/** Who signs a webhook, and whose messages it may speak of. */
interface Signer {
  readonly appSecret: string
  readonly verifyToken: string
  /** Undefined: all organisations' that have no account of their own. */
  readonly orgId: string | undefined
  /** Undefined without a provider for WhatsApp. */
  readonly account: SendingAccount | undefined
}

export function webhookRoutes(app: App, options: WebhookOptions): void {
  const { pool, sealing, appSecret, verifyToken } = options
  const shared = options.providers.get('whatsapp')?.own
  const own: Signer = { appSecret, verifyToken, orgId: undefined, account: shared }
  receive(app, options, { path: PATH, schemas: { handshake, inbound }, signerOf: async () => own })

  const params = Type.Object({ id: Id })
  receive(app, options, {
    path: webhookPathOf(':id'),
    schemas: { handshake: { ...handshake, params }, inbound: { ...inbound, params } },
    signerOf: async (request) => {
      const { id } = request.params as { id: string }
      const account = uuidIn(id) === null ? undefined : await findAccount(pool, { id })
      if (!account) return undefined
      return {
        account: toSendingAccount(sealing, account),
        appSecret: openSecret(sealing, account, 'app_secret'),
        verifyToken: openSecret(sealing, account, 'verify_token'),
        orgId: account.org_id,
      }
    },
  })
}

interface Receiver {
  readonly path: string
  readonly schemas: {
    readonly handshake: typeof handshake & { readonly params?: TObject }
    readonly inbound: typeof inbound & { readonly params?: TObject }
  }
  /** Undefined where there is no such account: answered as a wrong signature is. */
  signerOf(request: FastifyRequest): Promise<Signer | undefined>
}

function receive(app: App, options: WebhookOptions, { path, schemas, signerOf }: Receiver): void {
  const { log, allowUnsigned } = options

  app.get(
    path,
    { schema: schemas.handshake, config: { access: 'public' } },
    async (request, reply) => {
      const {
        'hub.mode': mode,
        'hub.verify_token': token = '',
        'hub.challenge': challenge,
      } = request.query
      const signer = await signerOf(request)
      const isOurs = signer && mode === 'subscribe' && isSameWord(token, signer.verifyToken)
      if (!isOurs || challenge === undefined) throw problem('WEBHOOK_HANDSHAKE_REFUSED')
      return reply.type('text/plain; charset=utf-8').send(challenge)
    },
  )

  app.post(
    path,
    {
      schema: schemas.inbound,
      // Signed, and sent by one network in bursts: a limit by network would lose reports.
      config: {
        access: 'public',
        rateLimit: 'refusals',
        // Before anything is read of the body: who does not know the secret learns nothing of it.
        signed: async (request, bytes) => {
          const signature = request.headers['x-hub-signature-256']
          const signer = await signerOf(request)
          if (!signer) throw problem('WEBHOOK_SIGNATURE_INVALID')
          // An organisation's own account always signs: the setting is about the default one.
          if (signature === undefined && allowUnsigned && signer.orgId === undefined) return
          if (isSigned(bytes, signature, signer.appSecret)) return
          throw problem('WEBHOOK_SIGNATURE_INVALID')
        },
      },
      bodyLimit: MOST_BYTES,
    },
    async (request) => {
      const { reports, others } = readReports(request.body)
      if (others > 0) log.warn({ others }, 'webhook has statuses of an unknown form; ignored')
      const named = request.headers['x-org-id']
      const signer = await signerOf(request)
      const orgId = signer?.orgId ?? (named === undefined ? undefined : String(named))
      await takeAll(options, reports, orgId)
      const changes = changesIn(request.body)
      const values = changes.flatMap(({ value }) => value ?? [])
      const { messages, others: odd } = readInbound(values)
      if (odd > 0) log.warn({ others: odd }, 'webhook has messages of an unknown form; ignored')
      await transaction(options.pool, (tx) => takeInbound(tx, options, { messages, orgId }))
      const notices = readNotices(changes)
      const account = signer?.account
      if (account) await transaction(options.pool, (tx) => takeNotices(tx, account, notices))
      return { received: reports.length + messages.length + notices.length }
    },
  )
}

function changesIn({ entry }: Static<typeof WebhookBody>) {
  return entry.flatMap(({ time, changes = [] }) => changes.map((change) => ({ ...change, time })))
}

/** Waits before reports of messages that a worker has in hand are tried again; then they are parked. */
const AGAIN_MS = [10, 20, 40, 80, 160]

async function takeAll(
  options: WebhookOptions,
  reports: readonly Report[],
  orgId: string | undefined,
): Promise<void> {
  let left = reports
  for (const waitMs of AGAIN_MS) {
    left = await take(options, { reports: left, orgId, busy: 'leave' })
    if (left.length === 0) return
    await sleep(waitMs)
  }
  await take(options, { reports: left, orgId, busy: 'park' })
}

function take(options: WebhookOptions, reports: Reports): Promise<Report[]> {
  return transaction(options.pool, (tx) => takeReports(tx, options, reports))
}

/** Whether `X-Hub-Signature-256` is Meta's over exactly these bytes. */
function isSigned(bytes: Buffer, header: unknown, secret: string): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(String(header))?.[1]
  if (hex === undefined) return false
  const expected = createHmac('sha256', secret).update(bytes).digest()
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected)
}

/** Compares words of any length without telling by the time where they differ. */
function isSameWord(given: string, expected: string): boolean {
  const digest = (word: string) => createHmac('sha256', 'posthorn').update(word).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
