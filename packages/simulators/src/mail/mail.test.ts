import { once } from 'node:events'
import { createConnection } from 'node:net'
import { createTransport } from 'nodemailer'
import { afterEach, describe, expect, test } from 'vitest'
import { serve, type TestServer } from '../testing/test-server.ts'
import { mail } from './index.ts'

type Transport = ReturnType<typeof createTransport>

const opened: Transport[] = []
afterEach(() => opened.splice(0).forEach((transport) => transport.close()))

/** A server with a mailbox, and nodemailer as its client. */
async function mailServer(options: object = {}) {
  const server = await serve({ simulators: [mail()] })
  const { hostname, port } = new URL(server.app.simulatorAddresses['mail'] ?? '')
  const transport = createTransport({ host: hostname, port: Number(port), ...options })
  opened.push(transport)
  return { server, transport, port: Number(port) }
}

const invitation = {
  from: 'Hub <hub@example.com>',
  to: 'Ann <ann@example.com>',
  subject: 'Grüße: come in',
  text: 'Join at http://127.0.0.1:4600/join?token=abc',
  html: '<p>Join <a href="http://127.0.0.1:4600/join?token=abc&amp;x=1">here</a></p>',
}
const tell = (server: TestServer, fault: object) => server.post('/sim/mail/faults', fault)

describe('the mailbox', () => {
  test('has what was sent, newest first', async () => {
    const { server, transport } = await mailServer()
    await transport.sendMail(invitation)
    await transport.sendMail({
      ...invitation,
      to: 'bob@example.com',
      bcc: 'eve@example.com',
      html: undefined,
      attachments: [{ filename: 'a.txt', content: 'abc' }],
    })
    const [second, first] = await server.requests('mail')
    expect(first).toMatchObject({
      to: 'ann@example.com',
      from: 'hub@example.com',
      subject: invitation.subject,
      text: invitation.text,
      html: invitation.html,
      outcome: 'ok',
      attachments: [],
    })
    expect(first?.['headers']).toMatchObject({ to: 'Ann <ann@example.com>' })
    expect(second).toMatchObject({
      to: 'bob@example.com, eve@example.com',
      html: '',
      attachments: [{ name: 'a.txt', size: 3 }],
    })
  })

  test('takes any password', async () => {
    const { server, transport } = await mailServer({ auth: { user: 'hub', pass: 'secret' } })
    await transport.sendMail(invitation)
    expect(await server.requests('mail')).toHaveLength(1)
    expect(JSON.stringify(await server.requests('mail'))).not.toContain('secret')
  })

  test('can be looked at by a person', async () => {
    const { server, transport } = await mailServer()
    await transport.sendMail({ ...invitation, subject: '<script>alert(1)</script>' })
    const page = await fetch(`${server.url}/sim/mail`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await page.text()
    expect(html).toContain('<a href="http://127.0.0.1:4600/join?token=abc"')
    expect(html).toContain('<a href="http://127.0.0.1:4600/join?token=abc&amp;x=1"')
    expect(html).not.toContain('<script')
  })

  test('forgets', async () => {
    const { server, transport } = await mailServer()
    await transport.sendMail(invitation)
    await fetch(`${server.url}/sim/mail`, { method: 'DELETE' })
    expect(await server.requests('mail')).toEqual([])
    expect(await (await fetch(`${server.url}/sim/mail`)).text()).toContain('No mail yet.')
  })

  test('takes 200 at once from a pool', async () => {
    const { server, transport } = await mailServer({ pool: true, maxConnections: 10 })
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        transport.sendMail({ ...invitation, subject: `mail ${n}` }),
      ),
    )
    const subjects = (await server.requests('mail')).map((item) => item['subject'])
    expect(new Set(subjects).size).toBe(200)
  })

  test('takes a hundred recipients for a mail', async () => {
    const { server, transport } = await mailServer()
    const to = Array.from({ length: 120 }, (_, n) => `guest${n}@example.com`)
    const { rejected } = await transport.sendMail({ ...invitation, to })
    expect(rejected).toHaveLength(20)
    expect(String((await server.requests('mail'))[0]?.['to']).split(', ')).toHaveLength(100)
  })

  test('lets the oldest texts go when it is full', async () => {
    const { server, transport } = await mailServer({ pool: true })
    const long = 'long '.repeat(60_000)
    for (let n = 0; n < 36; n += 1) {
      await transport.sendMail({ ...invitation, subject: `mail ${n}`, text: long, html: long })
    }
    const items = await server.requests('mail')
    expect(items).toHaveLength(36)
    expect(items[0]?.['text']).toMatch(/^long long/)
    expect(items.at(-1)).toMatchObject({
      subject: 'mail 0',
      html: '',
      text: '[forgotten: the mailbox is full]',
    })
  })

  test('cuts what is long and refuses what is too large', async () => {
    const { server, transport } = await mailServer()
    await transport.sendMail({ ...invitation, text: 'long '.repeat(200_000) })
    const [item] = await server.requests('mail')
    expect(item?.['text']).toMatch(/\[cut: \d+ more characters\]$/)
    const huge = 'x'.repeat(76).concat('\r\n').repeat(360_000)
    await expect(transport.sendMail({ ...invitation, text: huge })).rejects.toMatchObject({
      responseCode: 552,
    })
    expect(await server.requests('mail')).toHaveLength(1)
  })
})

describe('a fault', () => {
  test.each([
    [{}, 451, 0],
    [{ status: 550 }, 550, 0],
    [{ status: 421, code: '4.7.0' }, 421, 0],
    [{ effect: true }, 451, 1],
  ])('error %j is a reply', async (more, responseCode, kept) => {
    const { server, transport } = await mailServer()
    await tell(server, { mode: 'error', times: 1, ...more })
    await expect(transport.sendMail(invitation)).rejects.toMatchObject({ responseCode })
    expect(await server.requests('mail')).toHaveLength(kept)
    await transport.sendMail(invitation)
    expect(await server.requests('mail')).toHaveLength(kept + 1)
  })

  test.each([
    [false, 0],
    [true, 1],
  ])('drop cuts the connection (effect: %s)', async (effect, kept) => {
    const { server, transport } = await mailServer()
    await tell(server, { mode: 'drop', times: 1, effect })
    await expect(transport.sendMail(invitation)).rejects.toMatchObject({ command: 'CONN' })
    expect(await server.requests('mail')).toHaveLength(kept)
  })

  test.each([
    [false, 0],
    [true, 1],
  ])('timeout never answers (effect: %s)', async (effect, kept) => {
    const { server, transport } = await mailServer({ socketTimeout: 1_500 })
    await tell(server, { mode: 'timeout', times: 1, effect })
    await expect(transport.sendMail(invitation)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    const items = await server.requests('mail')
    expect(items.map(({ outcome }) => outcome)).toEqual(kept === 1 ? ['timeout'] : [])
  })

  test('timeout ends when the server closes', async () => {
    const { server, transport } = await mailServer()
    await tell(server, { mode: 'timeout', effect: true })
    const sent = transport.sendMail(invitation).catch((error: unknown) => error)
    await expect.poll(async () => (await server.requests('mail')).length).toBe(1)
    const started = performance.now()
    await server.app.close()
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(await sent).toBeInstanceOf(Error)
  })

  test.each([false, true])('slow takes the mail late (effect: %s)', async (effect) => {
    const { server, transport } = await mailServer()
    await tell(server, { mode: 'slow', delayMs: 300, times: 1, effect })
    const started = performance.now()
    await transport.sendMail(invitation)
    expect(performance.now() - started).toBeGreaterThan(290)
    expect((await server.requests('mail')).map(({ outcome }) => outcome)).toEqual(['slow'])
  })

  test('of 30 at once meets exactly `times`', async () => {
    const { server, transport } = await mailServer({ pool: true, maxConnections: 10 })
    await tell(server, { mode: 'error', after: 3, times: 8 })
    const sent = await Promise.allSettled(
      Array.from({ length: 30 }, () => transport.sendMail(invitation)),
    )
    expect(sent.filter(({ status }) => status === 'rejected')).toHaveLength(8)
    expect(await server.requests('mail')).toHaveLength(22)
  })
})

describe('the SMTP server', () => {
  test('says where it is', async () => {
    const { server, port } = await mailServer()
    const { body } = await server.get<{ items: { name: string; address: string }[] }>('/sim')
    expect(body.items[0]).toMatchObject({ name: 'mail', address: `smtp://127.0.0.1:${port}` })
  })

  test('takes the given port, and says so if it is in use', async () => {
    const { port } = await mailServer()
    await expect(serve({ simulators: [mail({ port })] })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })

  test('lives on when a client leaves in the middle, and closes with idle ones', async () => {
    const { server, transport, port } = await mailServer()
    const socket = createConnection(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'data')
    const commands = ['EHLO x', 'MAIL FROM:<a@b.c>', 'RCPT TO:<d@e.f>', 'DATA']
    for (const command of commands) {
      socket.write(`${command}\r\n`)
      await once(socket, 'data')
    }
    socket.write('Subject: half a mail\r\n\r\nand th')
    socket.destroy()
    await transport.sendMail(invitation)
    expect(await server.requests('mail')).toHaveLength(1)
    const idle = createConnection(port, '127.0.0.1')
    idle.on('error', () => undefined)
    await once(idle, 'data')
    const started = performance.now()
    await server.app.close()
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test('takes rubbish for a mail, since that is what mails can be', async () => {
    const { server, transport } = await mailServer()
    const envelope = { from: 'a@example.com', to: 'b@example.com' }
    for (const raw of ['', '\r\n', 'Content-Type: multipart/mixed\r\n\r\n--', '\u0000\u0001']) {
      await transport.sendMail({ envelope, raw })
    }
    expect(await server.requests('mail')).toHaveLength(4)
    expect((await fetch(`${server.url}/sim/mail`)).status).toBe(200)
  })
})
