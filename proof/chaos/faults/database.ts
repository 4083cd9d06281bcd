import { viewTable } from '@posthorn/engine/testing'
import { Client, type Pool } from 'pg'
import { pause } from '../../kit/waiting.ts'
import { systemProofs } from '../../kit/stand/system-proof.ts'
import type { Stage } from '../stage.ts'
import { draw, drawMs, inSeconds, type Fault } from './fault.ts'

/** Tables besides those of the outboxes. */
const TABLES = [
  'posthorn.bucket',
  'posthorn.transition',
  'posthorn.held_key',
  ...systemProofs.flatMap(({ tables = [] }) => tables),
]

/** Nobody reads or writes the table, as while it is rebuilt. */
const lock: Fault = {
  name: 'lock',
  weight: 4,
  plan(random, { outboxes }) {
    const table = draw(random, [...TABLES, ...outboxes.map((each) => each.log ?? each.table)])
    const ms = drawMs(random, 500, 5_000)
    return {
      text: `${table} locked for ${inSeconds(ms)}`,
      targets: [table],
      run: ({ pool, signal }) =>
        withClient({ pool, signal }, async (client) => {
          await client.query('begin')
          await client.query(`lock table ${table} in access exclusive mode`)
          await pause(ms, signal)
        }),
    }
  },
}

const AT_ONCE = 40
const LOOK_MS = 100

/** Holds every connection that Postgres still gives. */
const exhaust: Fault = {
  name: 'connections',
  weight: 3,
  plan(random) {
    const ms = drawMs(random, 1_000, 4_000)
    return {
      text: `no connection to Postgres left for ${inSeconds(ms)}`,
      targets: ['connections'],
      async run({ pool, signal }) {
        const clients: Client[] = []
        const endMs = performance.now() + ms
        try {
          while (performance.now() < endMs) {
            const opened = await Promise.allSettled(
              Array.from({ length: AT_ONCE }, () => connectTo(pool)),
            )
            clients.push(
              ...opened.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])),
            )
            // What others give back is taken, too.
            await pause(LOOK_MS, signal)
          }
        } finally {
          await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
        }
      },
    }
  },
}

/** The disk with the tables is full: nothing can grow, while the log of Postgres still can. */
const fill: Fault = {
  name: 'disk full',
  weight: 2,
  plan(random) {
    const ms = drawMs(random, 1_000, 5_000)
    return {
      text: `the disk of Postgres full for ${inSeconds(ms)}`,
      targets: ['disk'],
      async run({ disk, signal }: Stage) {
        if (!disk) return
        try {
          await disk.fill()
          await pause(ms, signal)
        } finally {
          await disk.empty()
        }
      },
    }
  },
}

/** As if every relay had been away for longer than its lease: what they still do is a zombie's. */
const expire: Fault = {
  name: 'leases',
  weight: 4,
  plan(random, { outboxes }) {
    const outbox = draw(random, outboxes)
    const { name } = outbox
    return {
      text: `the leases of ${name} run out`,
      targets: [`leases of ${name}`],
      async run({ pool }) {
        await viewTable(pool, outbox)
          .expireLeases()
          .catch(() => undefined)
      },
    }
  },
}

export const databaseFaults: readonly Fault[] = [lock, exhaust, fill, expire]

async function withClient(
  { pool, signal }: Pick<Stage, 'pool' | 'signal'>,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  // Postgres may die under it, which is another fault's doing.
  const client = await connectTo(pool).catch(() => undefined)
  if (!client) return
  try {
    await work(client)
  } catch (error) {
    // Only the end of the run is ours to pass on; the rest is about the connection.
    if (signal.aborted) throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function connectTo({ options }: Pool): Promise<Client> {
  const client = new Client({
    connectionString: options.connectionString,
    application_name: 'chaos',
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
