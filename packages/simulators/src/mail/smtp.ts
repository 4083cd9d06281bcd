import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Envelope } from './mail.ts'

/** An answer to a message. None: the connection is gone, or will be. */
export interface SmtpReply {
  readonly status: number
  readonly text: string
}

/** Decides about a message that has come in as a whole. */
export type Receive = (
  arrival: Envelope & { readonly bytes: Buffer; readonly socket: Socket },
) => Promise<SmtpReply | undefined>

export interface Smtp {
  readonly address: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const MOST_BYTES = 25 * 1024 * 1024
const MOST_RECIPIENTS = 100
const MOST_CLIENTS = 200

const UNREADABLE: SmtpReply = { status: 554, text: 'The message cannot be read' }

/** A real SMTP server on a loopback port. It takes every sender, recipient and password. */
export async function listenSmtp(port: number, receive: Receive): Promise<Smtp> {
  const sockets = new Map<string, Socket>()
  const server = new SMTPServer({
    banner: 'Posthorn mail simulator',
    // Its certificate would be one that no client trusts.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    size: MOST_BYTES,
    maxClients: MOST_CLIENTS,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anonymous' }),
    onRcptTo: (_address, session, done) =>
      session.envelope.rcptTo.length < MOST_RECIPIENTS
        ? done()
        : done(refusal({ status: 452, text: 'Too many recipients' })),
    onData: (stream, session, done) => void answer(stream, session, done),
  })

  async function answer(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error: Error | null, text?: string) => void,
  ): Promise<void> {
    const reply = await take(stream, session).catch(() => UNREADABLE)
    // Without a reply the client waits, or has no connection any more.
    if (reply) done(reply.status < 400 ? null : refusal(reply), reply.text)
  }

  async function take(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
  ): Promise<SmtpReply | undefined> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length
      // Read on, since the answer has to wait for the end, but do not keep it.
      if (size > MOST_BYTES) chunks.length = 0
      else chunks.push(chunk)
    }
    const socket = sockets.get(peerOf(session))
    if (!socket || socket.destroyed) return undefined
    if (size > MOST_BYTES) return { status: 552, text: 'The message is too large' }
    const { mailFrom, rcptTo } = session.envelope
    return receive({
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map(({ address }) => address),
      bytes: Buffer.concat(chunks),
      socket,
    })
  }

  // The library shows no socket to its handlers; by its peer it can be found.
  server.server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    sockets.set(peer, socket)
    socket.once('close', () => sockets.delete(peer))
  })
  // Clients that cut their connection are not our failure.
  server.on('error', () => undefined)
  const bound = await listen(server, port)

  return {
    address: `smtp://${HOST}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        // Idle clients would keep it open; a client in the middle of a mail will send it again.
        sockets.forEach((socket) => socket.destroy())
      }),
  }
}

function listen(server: SMTPServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(port, HOST, () => {
      server.server.off('error', reject)
      resolve((server.server.address() as AddressInfo).port)
    })
  })
}

function peerOf(peer: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${peer.remoteAddress}:${peer.remotePort}`
}

function refusal({ status, text }: SmtpReply): Error {
  return Object.assign(new Error(text), { responseCode: status })
}
