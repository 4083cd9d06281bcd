import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What a scanner says of a file. */
export type Verdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'infected'; readonly name: string }
  /** The scanner does not take it, e.g. because it is larger than its `StreamMaxLength`. */
  | { readonly kind: 'unscannable'; readonly reason: string }

export interface Scanner {
  /** Throws `ScannerAway` where the scanner gives no verdict: then nothing may pass. */
  scan(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Verdict>
}

/** The scanner cannot be reached, or says something that is no verdict. */
export class ScannerAway extends Error {
  readonly code = 'SCANNER_AWAY'

  constructor(why: string, options?: ErrorOptions) {
    super(`the virus scanner gave no verdict: ${why}`, options)
    this.name = 'ScannerAway'
  }
}

/** Without a word from the other side. */
const SILENCE_MS = 30_000
const MOST_ANSWER_BYTES = 4_096
/** Zero bytes long: the file is whole. */
const END = Buffer.alloc(4)

/**
 * Scans by clamd's INSTREAM command: the file in chunks, each with its length before it. `address` is
 * `tcp://host:port` or `unix:/path`. One connection for each file, as clamd expects.
 */
export function clamdScanner(address: string): Scanner {
  return {
    async scan(bytes, signal) {
      const socket = open(address)
      const stop = () => socket.destroy(new Error('called off'))
      signal.addEventListener('abort', stop)
      // What the socket has to say comes to the one who reads the answer.
      socket.on('error', () => undefined)
      const answered = readAnswer(socket)
      answered.catch(() => undefined)
      const ours: { error?: Error } = {}
      try {
        await once(socket, 'connect')
        socket.write('zINSTREAM\0')
        for await (const chunk of noteErrors(bytes, ours)) {
          if (chunk.byteLength === 0) continue
          const length = Buffer.alloc(4)
          length.writeUInt32BE(chunk.byteLength)
          socket.write(length)
          const isOver = !socket.write(chunk) && (await awaitDrain(socket, answered))
          // It may answer, and hang up, before it has all: a file over its limit.
          if (isOver) break
        }
        if (!socket.destroyed && socket.writable) socket.write(END)
        return verdictOf(await answered)
      } catch (error) {
        signal.throwIfAborted()
        if (ours.error !== undefined) throw ours.error
        if (error instanceof ScannerAway) throw error
        throw new ScannerAway(error instanceof Error ? error.message : String(error), {
          cause: error,
        })
      } finally {
        signal.removeEventListener('abort', stop)
        socket.destroy()
      }
    },
  }
}

function open(address: string): Socket {
  const socket = address.startsWith('unix:')
    ? connect(address.slice('unix:'.length))
    : connect(Number(new URL(address).port), new URL(address).hostname.replaceAll(/[[\]]/g, ''))
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('it does not answer')))
  return socket
}

/** True once the answer is there: then nothing more need be sent. */
async function awaitDrain(socket: Socket, answered: Promise<string>): Promise<boolean> {
  const drain = once(socket, 'drain').then(
    () => false,
    () => true,
  )
  return Promise.race([drain, answered.then(() => true)])
}

async function readAnswer(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (chunk.includes(0) || length > MOST_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8').replace(/\0.*$/s, '').trim()
}

function verdictOf(answer: string): Verdict {
  if (answer === 'stream: OK') return { kind: 'clean' }
  const name = /^stream: (.+) FOUND$/.exec(answer)?.[1]
  if (name !== undefined) return { kind: 'infected', name }
  if (/size limit exceeded/i.test(answer)) {
    return { kind: 'unscannable', reason: 'It is larger than the virus scanner takes.' }
  }
  throw new ScannerAway(answer === '' ? 'it hung up' : `it said "${answer}"`)
}

/** Tells our own mistakes from those of the connection. */
export async function* noteErrors(
  bytes: AsyncIterable<Uint8Array>,
  ours: { error?: Error },
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    ours.error = error instanceof Error ? error : new Error(String(error))
    throw error
  }
}
