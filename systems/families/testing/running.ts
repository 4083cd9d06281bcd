import { type Log, type Message, type Outbox, createRelay, uuid } from '@posthorn/engine'
import { type TestDatabase, fakeTransport, testDatabase } from '@posthorn/engine/testing'
import { mail } from '@posthorn/simulators'
import { afterAll, expect } from 'vitest'
import { createSealing } from '@posthorn/system'
import { askWith, json } from '@posthorn/system/testing/ask'
import { serveSystem, signTestToken, type TestCaller } from '@posthorn/system/testing/serve'
import { families } from '../index.ts'
import type { OutboxEvent } from '../outbox.ts'
import { topicMigrations } from '@posthorn/transports/postgres'

export const sealing = createSealing(['k'.repeat(32)])

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly data: Record<string, Record<string, unknown> | null> | null | undefined
  readonly errors: { message: string; extensions?: { code?: string } }[] | undefined
  readonly body: Record<string, unknown>
}

export interface MailSeen {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Record<string, string>
}

export type Running = Awaited<ReturnType<typeof runFamilies>>

export type Client = ReturnType<typeof clientOf>

export interface Outcome {
  readonly code: string | undefined
  readonly id: string
  readonly status: string | undefined
  readonly expiresAt: string | undefined
}

/** The system behind a real server, with the simulated mailbox; closed after the file's tests. */
export async function runFamilies(db: Pick<TestDatabase, 'pool'>) {
  /** Every line that was logged, as JSON. */
  const logged: string[] = []
  const served = await serveSystem(families, {
    ...{ pool: db.pool, sealing, baseUrl: () => 'https://hub.test', outside: [mail()] },
    log: logInto(logged),
    logging: { level: 'debug', stream: { write: (line) => void logged.push(line) } },
  })
  const { app, url, system, sim } = served
  const outbox = system.outboxes[0] as Outbox<OutboxEvent>
  const broker = fakeTransport()
  const transports = { rabbitmq: broker }
  const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
  afterAll(async () => {
    await relay.stop()
    await app.close()
  })
  return {
    ...served,
    outbox,
    /** Stands for the broker: what `deliver` was to deliver is in it. */
    broker,
    /** Delivers what is due. */
    async deliver() {
      for (let i = 0; i < 200 && (await relay.runOnce()) > 0; i += 1);
    },
    logged,
    as: async (caller: TestCaller) => clientOf(url, await signTestToken(caller)),
    mails: async () => (await sim<{ items: MailSeen[] }>('GET', '/mail/requests?limit=200')).items,
    /** Orders the mail server to fail: see the simulators. */
    fault: (order: object) => sim('POST', '/mail/faults', order),
    async handle(message: Message) {
      const ref = { queue: 'test' }
      const { signal } = new AbortController()
      for (const consumer of system.consumers ?? []) await consumer.handle(message, { ref, signal })
    },
  }
}

/** The token of an invitation, as it was sent. */
export async function sentToken(running: Running, invitationId: string): Promise<string> {
  await running.deliver()
  const sent = running.broker.arrived.findLast(({ key }) => key === invitationId)
  const payload = sent?.payload as { token: { value: string } } | undefined
  return payload?.token.value ?? 'not sent'
}

/** The token in the link of a mail. */
export function tokenIn({ text }: MailSeen): string {
  const link = /https:\S+/.exec(text)?.[0] ?? ''
  return new URL(link).searchParams.get('token') ?? ''
}

/** An address that no other test uses. */
export function newAddress(): string {
  return `${uuid()}@example.com`
}

function clientOf(url: string, token: string) {
  const send = askWith(url, token)
  const ask = async (query: string, variables: object = {}): Promise<Answer> => {
    const answer = await send('/graphql', json('POST', { query, variables }))
    const { data, errors } = answer.body as Pick<Answer, 'data' | 'errors'>
    return { ...answer, data, errors }
  }
  const change = async (name: string, type: string, input: object): Promise<Outcome> => {
    const query = `mutation ($input: ${type}!) {
      ${name}(input: $input) { invitation { id status expiresAt } errors { code message } } }`
    let answer = await ask(query, { input })
    // Many changes of one family at once: the API answers that the client may try again, and it does.
    while (answer.status === 409) answer = await ask(query, { input })
    const { status, data, body } = answer
    expect(status, JSON.stringify(body)).toBe(200)
    const payload = data?.[name] as { invitation: Outcome | null; errors: { code: string }[] }
    const { id = '', status: state, expiresAt } = payload.invitation ?? {}
    return { code: payload.errors[0]?.code, id, status: state, expiresAt }
  }
  return {
    token,
    ask,
    async create(name = 'Addams') {
      const query =
        'mutation ($input: CreateFamilyInput!) { createFamily(input: $input) { family { id } errors { code } } }'
      const { data } = await ask(query, { input: { name } })
      const payload = data?.['createFamily'] as { family: { id: string } } | undefined
      return payload?.family.id ?? ''
    },
    invite: (familyId: string, email: string, role = 'MEMBER') =>
      change('inviteFamilyMemberByEmail', 'InviteFamilyMemberByEmailInput', {
        ...{ familyId, email, role },
      }),
    resend: (invitationId: string) =>
      change('resendInvitation', 'ResendInvitationInput', { invitationId }),
    accept: (code: string) => change('acceptInvitation', 'AcceptInvitationInput', { token: code }),
    revoke: (invitationId: string) =>
      change('revokeInvitation', 'RevokeInvitationInput', { invitationId }),
    decline: (code: string) =>
      change('declineInvitation', 'DeclineInvitationInput', { token: code }),
    /** A mutation about members, by its name: why it was refused, undefined if it was done. */
    async act(name: string, input: object) {
      const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`
      const query = `mutation ($input: ${type}!) {
        ${name}(input: $input) { family { id } errors { code } } }`
      const { status, data, errors, body } = await ask(query, { input })
      if (status === 403) return errors?.[0]?.extensions?.code
      expect(status, JSON.stringify(body)).toBe(200)
      const payload = data?.[name] as { errors: { code: string }[] } | undefined
      return payload?.errors[0]?.code
    },
  }
}

function logInto(lines: string[]): Log {
  const note = (details: object, message: string) => {
    const error = 'err' in details && details.err instanceof Error ? details.err.stack : undefined
    lines.push(JSON.stringify({ ...details, error, message }))
  }
  return { debug: note, info: note, warn: note, error: note }
}

/** A database with the tables of this system and of the Postgres topics. */
export async function familyDatabase(): Promise<TestDatabase> {
  return testDatabase({ migrations: [await topicMigrations(), await families.migrations()] })
}
