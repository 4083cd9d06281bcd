import { type Message, createRelay, toMessage, uuid } from '@posthorn/engine'
import { listAlerts, listDeadLetters } from '@posthorn/operate'
import { postgresTransport } from '@posthorn/transports/postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { MEMBER_INVITED } from './events.ts'
import { familyDatabase, newAddress, runFamilies, sentToken, tokenIn } from './testing/running.ts'

const db = await familyDatabase()
const running = await runFamilies(db)
const ada = await running.as({})
const bob = await running.as({ sub: 'bob' })

beforeEach(() => fetch(`${running.url}/sim/mail`, { method: 'DELETE' }))

/** The message of an invitation, as the broker gets it. */
async function findSentMessage(invitationId: string): Promise<Message> {
  await running.deliver()
  const sent = running.broker.arrived.findLast(({ key }) => key === invitationId)
  if (!sent) throw new Error('the invitation was not sent')
  return sent
}

test('from the family to the new member, by the Postgres topic and a real mail', async () => {
  const topics = postgresTransport({ pool: db.pool, poll: '50ms' })
  const seen: Message[] = []
  const { outbox, system, logged } = running
  const pool = db.connect()
  const relay = createRelay({ pool, outboxes: [outbox], transports: { rabbitmq: topics } })
  try {
    for (const consumer of system.consumers ?? []) await topics.subscribe(consumer)
    const handle = async (message: Message) => void seen.push(message)
    await topics.subscribe({ topic: 'family-hub.events', group: 'test', handle })
    await relay.start()

    const family = await ada.create('Addams & <Sons>')
    const address = newAddress()
    const invited = await ada.invite(family, address)
    await expect.poll(() => running.mails()).toHaveLength(1)
    const [mail] = await running.mails()
    const event = seen.find(({ type }) => type === MEMBER_INVITED)
    expect(mail).toMatchObject({ to: address })
    expect(mail?.subject).toBe('You are invited to the family Addams & <Sons>')
    expect(mail?.text).toContain('https://hub.test/invitations?token=')
    expect(mail?.html).toContain('Addams &amp; &lt;Sons&gt;')
    expect(mail?.headers['message-id']).toBe(`<${event?.id}@family-hub.test>`)

    const token = tokenIn(mail as NonNullable<typeof mail>)
    await ada.resend(invited.id)
    await expect.poll(() => running.mails()).toHaveLength(2)
    expect(await bob.accept(token)).toMatchObject({ code: 'NOT_FOUND' })
    const [reminder] = await running.mails()
    expect(reminder?.subject).toMatch(/^Reminder/)
    const second = tokenIn(reminder as NonNullable<typeof mail>)
    expect(await bob.accept(second)).toMatchObject({ status: 'ACCEPTED' })

    await expect.poll(() => seen.length).toBe(4)
    const typesOf = (key: string) =>
      seen.filter((message) => message.key === key).map(({ type }) => type.split('.').at(-1))
    expect(typesOf(family)).toEqual(['FamilyCreatedEvent', 'FamilyMemberJoinedEvent'])
    expect(typesOf(invited.id)).toEqual(['FamilyMemberInvitedEvent', 'FamilyMemberInvitedEvent'])
    expect(seen.every(({ tenant }) => tenant === 'acme')).toBe(true)
    expect(event?.payload).toMatchObject({
      eventId: event?.id,
      eventVersion: 1,
      occurredOn: expect.any(String),
      invitationId: { value: invited.id },
      familyId: { value: family },
      email: { value: address },
      role: { value: 'Member' },
      token: { value: token },
      invitedByUserId: { value: 'ada' },
      isResend: false,
    })

    await expect.poll(countUnprocessed).toBe(0)
    for (const secret of [token, second]) {
      expect(logged.join('\n')).not.toContain(secret)
      expect(await allTables(/^families\.|^posthorn\.(?!topic)/)).not.toContain(secret)
    }
    expect(await allTables(/^families\.outbox_events$/)).not.toContain('token')
    const { rows } = await db.pool.query<{ event: string }>(
      `select aggregate_type || ' ' || event_type || ' ' || event_version as event
         from families.outbox_events order by seq`,
    )
    expect(rows.map((row) => row.event)).toEqual([
      'Family FamilyHub.Families.FamilyCreatedEvent 1',
      'FamilyMemberInvitation FamilyHub.Families.FamilyMemberInvitedEvent 1',
      'FamilyMemberInvitation FamilyHub.Families.FamilyMemberInvitedEvent 1',
      'Family FamilyHub.Families.FamilyMemberJoinedEvent 1',
    ])
  } finally {
    await relay.stop()
    await topics.close()
  }
})

test('a recipient whose server says "not now" holds up no other invitation', async () => {
  const topics = postgresTransport({ pool: db.pool, poll: '50ms', partitions: 1 })
  const topic = `invitations-${uuid()}`
  try {
    const family = await ada.create()
    const messages: Message[] = []
    for (let n = 0; n < 3; n += 1) {
      const { id } = await ada.invite(family, newAddress())
      messages.push(await findSentMessage(id))
    }
    await running.fault({ mode: 'error', times: 1 })
    for (const consumer of running.system.consumers ?? []) {
      await topics.subscribe({ ...consumer, topic })
    }
    const destination = { transport: 'topics', topic }
    const signal = new AbortController().signal
    await topics.deliver(
      messages.map((message) => ({ message, destination })),
      { ordered: true, signal },
    )
    await expect.poll(() => running.mails()).toHaveLength(2)
    const { items } = await listDeadLetters(db.pool, { topic })
    expect(items).toMatchObject([{ state: 'retry', attempts: 1, messageId: messages[0]?.id }])
    for (const { key = '' } of messages) {
      expect(await allTables(/^families\./)).not.toContain(await sentToken(running, key))
    }
    expect(JSON.stringify(items[0]?.payload)).toContain('"token":"(redacted)"')
  } finally {
    await topics.close()
  }
})

describe('a message', () => {
  const invite = async (address = newAddress()) => {
    const family = await ada.create()
    const { id } = await ada.invite(family, address)
    return { family, id, address, message: await findSentMessage(id) }
  }

  test('that arrives fifty times at once is one mail', async () => {
    const { message } = await invite()
    await running.fault({ mode: 'slow', times: 1 })
    await Promise.all(Array.from({ length: 50 }, () => running.handle(message)))
    await running.handle(message)
    expect(await running.mails()).toHaveLength(1)
  })

  test.each([
    ['a refusal for now', { mode: 'error', times: 1 }, /451/],
    ['a lost connection', { mode: 'drop', times: 1 }, /closed/],
    ['a server that is closing', { mode: 'error', status: 421, times: 1 }, /421/],
  ])('is tried again after %s', async (_, fault, says) => {
    const { message } = await invite()
    await running.fault(fault)
    await expect(running.handle(message)).rejects.toThrow(says)
    expect(await running.mails()).toHaveLength(0)
    await running.handle(message)
    expect(await running.mails()).toHaveLength(1)
  })

  test('that was mailed although the answer was lost is mailed again, with the same id', async () => {
    const { message } = await invite()
    await running.fault({ mode: 'drop', times: 1, effect: true })
    await expect(running.handle(message)).rejects.toThrow(/closed/)
    await running.handle(message)
    const ids = (await running.mails()).map(({ headers }) => headers['message-id'])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  test('for a mailbox that does not exist is an alert, and not tried for ever', async () => {
    const { message, id } = await invite()
    await running.fault({ mode: 'error', status: 550, times: 1 })
    await running.handle(message)
    await running.handle(message)
    expect(await running.mails()).toHaveLength(0)
    const { items } = await listAlerts(db.pool, { source: 'families.invitation-mails' })
    expect(items).toMatchObject([{ subject: id, code: 'MAIL_REFUSED', tenant: 'acme' }])
  })

  test('whose invitation is over, or has another token, is no mail', async () => {
    const revoked = await invite()
    await ada.revoke(revoked.id)
    await running.handle(revoked.message)
    const resent = await invite()
    await ada.resend(resent.id)
    await running.handle(resent.message)
    expect(await running.mails()).toHaveLength(0)
    await running.handle(await findSentMessage(resent.id))
    expect(await running.mails()).toHaveLength(1)
  })

  test('of another type, or that says nothing useful, is passed over', async () => {
    const { message } = await invite()
    const payload = message.payload as Record<string, unknown>
    const init = { id: uuid(), type: MEMBER_INVITED }
    const odd: Message[] = [
      toMessage({ id: uuid(), type: 'FamilyHub.Families.FamilyCreatedEvent', payload }),
      toMessage({ ...init, payload: null }),
      toMessage({ ...init, payload: { ...payload, token: undefined } }),
      toMessage({ ...init, payload: { ...payload, invitationId: { value: "x' or 1=1" } } }),
      toMessage({ ...init, payload: { ...payload, invitationId: { value: uuid() } } }),
      toMessage({ ...init, payload, id: 'no-uuid' }),
      // Of 2020: older than the retention of the inbox.
      toMessage({ ...init, payload, id: '016f5e66-e800-7000-8000-000000000000' }),
    ]
    for (const each of odd) await running.handle(each)
    expect(await running.mails()).toHaveLength(0)
    expect(running.logged.join()).toContain('older than the retention of the inbox')
  })

  test('that is slow to mail holds no transaction of the database meanwhile', async () => {
    const messages: Message[] = []
    for (let n = 0; n < 6; n += 1) messages.push((await invite()).message)
    // The server keeps each letter, and answers a while later.
    await running.fault({ mode: 'slow', times: 6, effect: true, delayMs: 1_500 })
    const handled = Promise.all(messages.map((message) => running.handle(message)))
    const countTaken = async () => (await running.mails()).length
    await expect.poll(countTaken, { timeout: 30_000, interval: 20 }).toBeGreaterThanOrEqual(5)
    const { rows } = await db.pool.query(
      `select query from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`,
    )
    expect(rows).toEqual([])
    await handled
    expect(await running.mails()).toHaveLength(6)
  })
})

async function countUnprocessed(): Promise<number | undefined> {
  const { rows } = await db.pool.query<{ count: number }>(
    'select count(*)::int as count from families.outbox_events where status <> 1',
  )
  return rows[0]?.count
}

/** Everything in the tables of all systems and of the engine, as text. */
async function allTables(named = /./): Promise<string> {
  const { rows } = await db.pool.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const tables = rows.filter(({ name }) => named.test(name))
  const contents = await Promise.all(
    tables.map(({ name }) => db.pool.query(`select t::text from ${name} as t`)),
  )
  return JSON.stringify(contents.map((content) => content.rows))
}
