import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createMailer, type Letter } from './mailer.ts'

/** A mail server that counts its connections, and keeps its answers back while it is slow. */
async function startServer() {
  const taken: string[] = []
  const waiting: (() => void)[] = []
  const state = { connections: 0, most: 0, isSlow: false, isTrickling: false }
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    state.connections += 1
    state.most = Math.max(state.most, open.size)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    const say = (text: string) => void socket.write(`${text}\r\n`)
    const answer = (line: string): void => {
      if (line.startsWith('RCPT TO:')) taken.push(line)
      if (line === 'DATA') say('354 go on')
      else if (line === '.' && state.isSlow) waiting.push(() => say('250 taken'))
      else if (line === '.' && state.isTrickling) {
        // Lines of an answer that never ends: the connection is not silent for a moment.
        const trickling = setInterval(() => say('250-wait'), 50)
        socket.once('close', () => clearInterval(trickling))
      } else if (line === 'QUIT') socket.end('221 bye\r\n')
      else if (/^(EHLO|MAIL|RCPT|RSET|\.$)/.test(line)) say('250 fine')
    }
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\r\n')
      text = lines.pop() ?? ''
      lines.forEach(answer)
    })
    say('220 test')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    open.forEach((socket) => socket.destroy())
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, taken, waiting, state, open }
}

function mailerTo(url: string, timeoutMs = 20_000) {
  return createMailer({
    timeoutMs,
    settings: { SMTP_URL: url, MAIL_FROM: 'Hub <hub@example.test>' },
    simulatorAddress: async () => undefined,
  })
}

function letterTo(name: string): Letter {
  const to = `${name}@example.test`
  return {
    to,
    subject: 'Hello',
    text: 'Hello',
    html: '<p>Hello</p>',
    messageId: `<${name}@x.test>`,
  }
}

const patient = { timeout: 30_000, interval: 20 }

test('letters share connections, which are closed once there are no more', async () => {
  const { url, taken, state, open } = await startServer()
  const mailer = mailerTo(url)
  for (let n = 0; n < 20; n += 1) {
    expect(await mailer.send(letterTo(`n${n}`))).toEqual({ kind: 'sent' })
  }
  expect(taken).toHaveLength(20)
  // One, unless the machine was so slow that it was closed in between.
  expect(state.connections).toBeLessThan(10)
  await expect.poll(() => open.size, patient).toBe(0)
  expect(await mailer.send(letterTo('later'))).toEqual({ kind: 'sent' })
})

test('five are under way at once, and the others wait', async () => {
  const { url, taken, waiting, state } = await startServer()
  state.isSlow = true
  const mailer = mailerTo(url)
  const sending = Promise.all(Array.from({ length: 12 }, (_, n) => mailer.send(letterTo(`n${n}`))))
  await expect.poll(() => waiting.length, patient).toBe(5)
  expect(taken).toHaveLength(5)
  state.isSlow = false
  waiting.splice(0).forEach((answer) => answer())
  expect(await sending).toHaveLength(12)
  expect(new Set(taken).size).toBe(12)
  expect(taken).toHaveLength(12)
  expect(state.most).toBeLessThanOrEqual(5)
})

test('a connection that the server has closed costs no letter', async () => {
  const { url, taken, open } = await startServer()
  const mailer = mailerTo(url)
  await mailer.send(letterTo('first'))
  open.forEach((socket) => socket.destroy())
  expect(await mailer.send(letterTo('second'))).toEqual({ kind: 'sent' })
  expect(taken).toHaveLength(2)
})

test('a server that answers without end holds up one letter, and the next goes elsewhere', async () => {
  const { url, state, open } = await startServer()
  const mailer = mailerTo(url, 3_000)
  state.isTrickling = true
  await expect(mailer.send(letterTo('stuck'))).rejects.toThrow('took longer than 3000 ms')
  state.isTrickling = false
  expect(await mailer.send(letterTo('next'))).toEqual({ kind: 'sent' })
  // The connection of the first is cut in the end.
  await expect.poll(() => open.size, patient).toBe(0)
})
