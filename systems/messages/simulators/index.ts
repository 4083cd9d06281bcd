import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import {
  type Simulator,
  type SimulatorWorld,
  defineSimulator,
  ownOrigin,
} from '@posthorn/simulators'
import { type Accepted, Behaviour, REPORTS, type Receiver, Reports, USUAL } from './reports.ts'
import { GRAPH_ERRORS, graphErrorBody, magicOf, sendGraphError } from './errors.ts'
import { Throughput } from './limits.ts'
import { People, PersonsMessage } from './people.ts'
import {
  type TemplateMessage,
  type TextMessage,
  isGraphError,
  isText,
  listing,
  readTemplateMessage,
  readTextMessage,
} from './message.ts'

export interface WhatsAppOptions {
  /** What requests must bear: the server's `WHATSAPP_ACCESS_TOKEN`. */
  readonly accessToken: string
  /** Signs the webhooks: the server's `WHATSAPP_APP_SECRET`. */
  readonly appSecret: string
  /** Where webhooks go; default the place for them on the server it is mounted on. */
  readonly webhookUrl?: string
  /** How it behaves from the start and after `DELETE /sim/whatsapp`. */
  readonly behaviour?: Partial<Behaviour>
}

const WEBHOOK_PATH = '/api/v1/webhooks/whatsapp/inbound'

/** Messages whose reports can be asked for by hand. */
const MOST_KEPT = 100_000

const BehaviourChange = Type.Partial(Behaviour)

/** Another business account than that of the options. */
const Account = Type.Object(
  {
    accessToken: Type.String({ minLength: 1, description: 'Token that its requests must carry' }),
    appSecret: Type.String({ minLength: 1, description: 'Secret that signs its webhooks' }),
    phoneNumberIds: Type.Array(Type.String(), {
      minItems: 1,
      description: 'Ids of its phone numbers',
    }),
    webhookPath: Type.String({ pattern: '^/', description: 'Path that receives its webhooks' }),
  },
  { additionalProperties: false },
)
type Account = Static<typeof Account>
const Reported = Type.Object({ reported: Type.Boolean() })
const Asked = Type.Object({ id: Type.String(), status: Type.Enum([...REPORTS]) })

/** Meta's WhatsApp Cloud API: takes templates and texts, reports by signed webhooks; people answer. */
export function whatsapp(options: WhatsAppOptions): Simulator {
  return defineSimulator({
    name: 'whatsapp',
    about:
      'The WhatsApp Cloud API: takes messages, reports what became of them; people can answer.',
    open(world) {
      const desk = new Desk(world, options)
      return {
        routes: (app) => desk.routes(app),
        control: (app) => desk.control(app),
        failure: ({ code, status = 500 }) => ({
          body: graphErrorBody({
            status,
            code: Number(code ?? GRAPH_ERRORS.wentWrong.code),
            message: 'The simulator was set to fail.',
          }),
        }),
        forget: () => desk.forget(),
      }
    },
  })
}

/** What one server has of it. */
class Desk {
  readonly #world: SimulatorWorld
  readonly #options: WhatsAppOptions
  readonly #reports: Reports
  readonly #throughput = new Throughput()
  readonly #people = new People()
  #tally = { accepted: 0, limited: 0 }
  readonly #accepted = new Map<string, Accepted>()
  readonly #accounts: Account[] = []
  /** Recipients whose one refusal is behind them. */
  readonly #refused = new Set<string>()
  #behaviour: Behaviour
  #server: FastifyInstance['server'] | undefined

  constructor(world: SimulatorWorld, options: WhatsAppOptions) {
    this.#world = world
    this.#options = options
    this.#reports = new Reports(world, (phoneNumberId) => this.#receiverOf(phoneNumberId))
    this.#behaviour = { ...USUAL, ...options.behaviour }
  }

  routes(app: FastifyInstance): void {
    this.#server = app.server
    this.#listTemplates(app)
    app.post<{ Params: { version: string; number: string } }>(
      '/:version/:number/messages',
      { schema: { summary: 'Send a template, or text within a session' } },
      (request, reply) => {
        const sent = this.#isAuthorised(request, request.params.number)
          ? this.#take(request, reply, request.params.number)
          : sendGraphError(reply, GRAPH_ERRORS.badToken)
        return sent
      },
    )
  }

  #listTemplates(app: FastifyInstance): void {
    app.get<{ Params: { version: string; account: string } }>(
      '/:version/:account/message_templates',
      { schema: { summary: 'The templates of a business account' } },
      (request, reply) => {
        const given = request.headers.authorization
        const tokens = [this.#options, ...this.#accounts].map(({ accessToken }) => accessToken)
        return tokens.some((token) => given === `Bearer ${token}`)
          ? reply.send(listing())
          : sendGraphError(reply, GRAPH_ERRORS.badToken)
      },
    )
  }

  control(app: FastifyInstance): void {
    app.get(
      '/behaviour',
      { schema: { summary: 'The behaviour of WhatsApp' } },
      () => this.#behaviour,
    )
    app.put<{ Body: Static<typeof BehaviourChange> }>(
      '/behaviour',
      { schema: { summary: 'Change the behaviour of WhatsApp', body: BehaviourChange } },
      (request) => (this.#behaviour = { ...this.#behaviour, ...request.body }),
    )
    app.post<{ Body: Account }>(
      '/accounts',
      {
        schema: {
          summary: 'Add a business account',
          body: Account,
          response: { 201: Type.Object({ accounts: Type.Integer() }) },
        },
      },
      (request, reply) => {
        this.#accounts.push(request.body)
        return reply.code(201).send({ accounts: this.#accounts.length })
      },
    )
    app.get(
      '/tally',
      { schema: { summary: 'Number of messages that WhatsApp accepted and held back' } },
      () => ({
        ...this.#tally,
        busiestSecond: this.#throughput.busiest,
      }),
    )
    app.post<{ Body: PersonsMessage }>(
      '/inbound',
      {
        schema: {
          summary: 'Send a message as a person',
          body: PersonsMessage,
          response: { 202: Type.Object({ id: Type.String() }) },
        },
      },
      async (request, reply) => {
        const { id, numberId, value } = this.#people.write(request.body, await this.#world.now())
        for (let copy = 0; copy < (request.body.repeat ?? 1); copy += 1) {
          this.#world.later(0, () => this.#reports.deliver(numberId, value))
        }
        return reply.code(202).send({ id })
      },
    )
    app.post<{ Body: Static<typeof Asked> }>(
      '/reports',
      {
        schema: {
          summary: 'Report a status of a message',
          body: Asked,
          response: { 202: Reported, 404: Reported },
        },
      },
      (request, reply) => {
        const message = this.#accepted.get(request.body.id)
        if (!message) return reply.code(404).send({ reported: false })
        this.#reports.report(message, request.body.status, this.#behaviour)
        return reply.code(202).send({ reported: true })
      },
    )
  }

  forget(): void {
    this.#behaviour = { ...USUAL, ...this.#options.behaviour }
    this.#reports.forget()
    this.#throughput.forget()
    this.#people.forget()
    this.#tally = { accepted: 0, limited: 0 }
    this.#accepted.clear()
    this.#refused.clear()
    this.#accounts.length = 0
  }

  #receiverOf(phoneNumberId: string): Receiver {
    const account = this.#accounts.find((each) => each.phoneNumberIds.includes(phoneNumberId))
    const { appSecret, webhookUrl } = this.#options
    const here = (path: string) => `${ownOrigin(this.#server)}${path}`
    if (account) return { appSecret: account.appSecret, url: here(account.webhookPath) }
    return { appSecret, url: webhookUrl ?? here(WEBHOOK_PATH) }
  }

  #isAuthorised({ headers }: FastifyRequest, phoneNumberId: string): boolean {
    const account = this.#accounts.find((each) => each.phoneNumberIds.includes(phoneNumberId))
    const given = Buffer.from(headers.authorization ?? '')
    const wanted = Buffer.from(`Bearer ${(account ?? this.#options).accessToken}`)
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }

  async #take(
    request: FastifyRequest,
    reply: FastifyReply,
    phoneNumberId: string,
  ): Promise<FastifyReply> {
    const { body } = request
    const message = isText(body) ? readTextMessage(body) : readTemplateMessage(body)
    if (isGraphError(message)) return sendGraphError(reply, message)
    if (!this.#throughput.take(phoneNumberId, this.#behaviour.perSecond)) {
      this.#tally.limited += 1
      return sendGraphError(reply, GRAPH_ERRORS.throughput)
    }
    const magic = magicOf(message.to)
    if (magic?.kind === 'refused' && !(magic.once && this.#wasRefused(message.to))) {
      return sendGraphError(reply, magic.error)
    }
    if (message.type === 'text') {
      const now = await this.#world.now()
      const isOpen = this.#people.isInSession(message.to, phoneNumberId, now)
      if (!isOpen) return sendGraphError(reply, GRAPH_ERRORS.reEngagement)
    }
    const accepted = this.#accept(message, phoneNumberId)
    this.#world.note(request, { messageId: accepted.id })
    if (magic?.kind === 'unanswered') this.#world.fail(request, magic.fault)
    return reply.send({
      messaging_product: 'whatsapp',
      contacts: [{ input: message.to, wa_id: accepted.recipient }],
      messages: [{ id: accepted.id, message_status: 'accepted' }],
    })
  }

  /** Says whether it had been before, and remembers that it is now. */
  #wasRefused(recipient: string): boolean {
    const before = this.#refused.has(recipient)
    this.#refused.add(recipient)
    return before
  }

  #accept(message: TemplateMessage | TextMessage, phoneNumberId: string): Accepted {
    this.#people.noteWrittenTo(message.to, phoneNumberId)
    const magic = magicOf(message.to)
    const accepted: Accepted = {
      id: `wamid.${randomBytes(24).toString('base64url')}`,
      phoneNumberId,
      recipient: message.to.replace('+', ''),
      opaque: message.biz_opaque_callback_data,
      ...(magic?.kind === 'undeliverable' && { error: magic.error }),
    }
    this.#tally.accepted += 1
    this.#accepted.set(accepted.id, accepted)
    const [oldest] = this.#accepted.keys()
    if (this.#accepted.size > MOST_KEPT && oldest !== undefined) this.#accepted.delete(oldest)
    this.#reports.follow(accepted, this.#behaviour)
    return accepted
  }
}
