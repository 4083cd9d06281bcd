import manifest from '../package.json' with { type: 'json' }
import { DESTINATION_PARTS, type DESTINATIONS } from './destinations.ts'
import { ORM_PARTS, type ORMS } from './orms.ts'

export interface ServiceOptions {
  /** What the service reads and writes with. */
  readonly orm: (typeof ORMS)[number]
  /** Where its messages go: its own functions, or a broker. */
  readonly to: (typeof DESTINATIONS)[number]
}

interface Choice extends ServiceOptions {
  readonly name: string
}

/** The service as files: path and text. */
export function filesOf(choice: Choice): Readonly<Record<string, string>> {
  return {
    'package.json': packageJson(choice),
    'tsconfig.json': `${JSON.stringify({ compilerOptions: COMPILER, include: ['src', 'test'] }, null, 2)}\n`,
    '.gitignore': 'node_modules\n.posthorn\nsrc/generated\n',
    'README.md': readme(choice),
    'src/outboxes.ts': outboxesModule(choice),
    'src/database.ts': DATABASE,
    'src/shop.ts': shopModule(choice),
    'src/main.ts': MAIN,
    'test/shop.test.ts': testModule(choice),
    ...ORM_PARTS[choice.orm].files,
  }
}

const COMPILER = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

function packageJson({ name, orm, to }: Choice): string {
  const own = (...names: string[]) =>
    Object.fromEntries(names.map((each) => [`@posthorn/${each}`, manifest.version]))
  const { dependencies, devDependencies = {}, postinstall } = ORM_PARTS[orm]
  const scripts = {
    ...(postinstall !== undefined && { postinstall }),
    start: 'node src/main.ts',
    test: 'node --test test/shop.test.ts',
    types: 'tsc',
    dashboard: 'posthorn dashboard --config src/outboxes.ts',
    doctor: 'posthorn doctor --config src/outboxes.ts',
  }
  const content = {
    name,
    private: true,
    type: 'module',
    scripts,
    engines: { node: '>=22.22' },
    dependencies: sorted({
      ...own('engine', 'postgres', ...(to === 'handlers' ? [] : ['transports'])),
      ...DESTINATION_PARTS[to].dependencies,
      ...dependencies,
      pg: '^8.23.1',
    }),
    devDependencies: sorted({
      ...own('cli'),
      ...devDependencies,
      '@types/node': '^24.0.0',
      '@types/pg': '^8.23.1',
      typescript: '^7.0.2',
    }),
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

function sorted(all: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function outboxesModule({ to }: Choice): string {
  const goesTo =
    to === 'handlers' ? '' : `\n  destination: { transport: '${to}', topic: 'orders' },`
  return `import { outbox } from '@posthorn/engine'

/** What is announced, by type. */
export interface Events {
  'order.placed': { order: number; item: string }
}

/** Messages of one order go out one after the other; each is tried five times. */
export const events = outbox<Events>('shop.outbox', {
  order: 'key',
  attempts: 5,${goesTo}
})

/** For the command line: \`npx posthorn dashboard --config src/outboxes.ts\`. */
export const outboxes = [events]
`
}

const DATABASE = `import { openPostgres } from '@posthorn/postgres'

/** DATABASE_URL, or a PostgreSQL in a folder, which the command line finds too. */
export async function openDatabase(): Promise<{ url: string; close(): Promise<void> }> {
  const url = process.env['DATABASE_URL']
  if (url) return { url, close: async () => undefined }
  return openPostgres({ folder: '.posthorn/postgres' })
}
`

const MAIN = `import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDatabase } from './database.ts'
import { openShop } from './shop.ts'

const database = await openDatabase()
const shop = await openShop(database.url)
await shop.start()

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop')
  if (request.method !== 'POST' || pathname !== '/orders') {
    response.writeHead(404).end('POST /orders?item=lamp\\n')
    return
  }
  shop.placeOrder(searchParams.get('item') ?? 'lamp').then(
    (order) => response.writeHead(201).end(\`order \${order} is placed\\n\`),
    (error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    },
  )
})
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(\`curl -X POST 'http://127.0.0.1:\${port}/orders?item=lamp'\`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close()
    await shop.close()
    await database.close()
    process.exit(0)
  })
}
`

function testModule({ to }: Choice): string {
  // Topics in PostgreSQL have the same form as a broker, and take its place.
  const hasStandIn = to !== 'handlers' && to !== 'topics'
  const imports = `import { postgresTransport } from '@posthorn/transports/postgres'\n`
  return `import { deepStrictEqual } from 'node:assert'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { temporaryPostgres } from '@posthorn/postgres'
${hasStandIn ? imports : ''}import { openShop } from '../src/shop.ts'

const postgres = await temporaryPostgres()
const shop = await openShop(postgres.url${hasStandIn ? ', (pool) => postgresTransport({ pool })' : ''})
await shop.start()
after(async () => {
  await shop.close()
  await postgres.close()
})

test('an order is shipped', { timeout: 60_000 }, async () => {
  const order = await shop.placeOrder('lamp')
  while (!(await shop.isShipped(order))) await setTimeout(20)
  // The relay settles the message a moment after the handler's transaction.
  while ((await shop.app.stats())[0]?.counts['sent'] !== 1) await setTimeout(20)
})

test('an order that is not stored is not announced', async () => {
  const before = await shop.app.stats()
  await shop.placeOrder('').catch(() => undefined)
  const counts = (await shop.app.stats()).map((each) => each.counts)
  deepStrictEqual(counts, before.map((each) => each.counts))
})
`
}

function readme({ name, to }: Choice): string {
  return `# ${name}

A shop that stores an order and announces it, both or neither: the message is a row of the same
transaction, and a relay takes it from there.

\`\`\`sh
npm start                                                # PostgreSQL comes along; or set DATABASE_URL
curl -X POST 'http://127.0.0.1:3000/orders?item=lamp'    # in another terminal
npm run dashboard                                        # the outbox in a browser
npm run doctor                                           # what is wrong, and what to do
npm test
\`\`\`

${DESTINATION_PARTS[to].about}

| file              | has                                                       |
| ----------------- | --------------------------------------------------------- |
| src/outboxes.ts   | the outbox: what is announced, how often it is tried       |
| src/shop.ts       | the order and its message in one transaction, the relay    |
| src/main.ts       | the program: HTTP, start and stop                          |
| test/shop.test.ts | tests, against a PostgreSQL of their own                   |

In production the tables come by your own migrations: \`npx posthorn sql --config src/outboxes.ts\`
prints them, and \`--since\` what a newer version adds.
`
}

/** The service itself: the order and its message, the relay, and who hears of it. */
function shopModule({ orm, to }: Choice): string {
  const { imports, adapter, open, placeOrder, close } = ORM_PARTS[orm]
  const { open: openBroker } = DESTINATION_PARTS[to]
  const engine = [
    ...(openBroker ? ['engineMigrations', 'migrate'] : []),
    ...(adapter === undefined ? [] : [adapter]),
    ...['posthorn', 'sql', 'type Posthorn'],
    ...(openBroker ? ['type Subscriber', 'type Transport'] : []),
  ].toSorted((one, other) => (bare(one) < bare(other) ? -1 : 1))
  const transport = `import { ${to}Transport } from '@posthorn/transports/${to}'\n`
  const topics = to === 'topics' ? 'postgresTransport, topicMigrations' : 'topicMigrations'
  const brokerImports = openBroker
    ? `${to === 'topics' ? '' : transport}import { ${topics} } from '@posthorn/transports/postgres'\n`
    : ''
  const generated =
    orm === 'prisma' ? `import { PrismaClient } from './generated/prisma/client.ts'\n` : ''
  const schema = orm === 'drizzle' ? `import { orders } from './schema.ts'\n` : ''
  return `import {
${engine.map((name) => `  ${name},`).join('\n')}
} from '@posthorn/engine'
${brokerImports}${imports}import { Pool } from 'pg'
${generated}import { events${openBroker ? ', type Events' : ''} } from './outboxes.ts'
${schema}
export interface Shop {
  readonly app: Posthorn
  start(): Promise<void>
  /** Stores an order with its message: both or neither. */
  placeOrder(item: string): Promise<number>
  isShipped(order: number): Promise<boolean>
  close(): Promise<void>
}

const TABLE = \`create table if not exists shop.orders (
  id integer generated by default as identity primary key,
  item text not null check (item <> ''),
  shipped_at timestamptz
)\`
${openBroker ? brokerType(openBroker) : ''}
export async function openShop(url: string${openBroker ? ', openBroker = openOwnBroker' : ''}): Promise<Shop> {
  const pool = new Pool({ connectionString: url })
  // An idle connection that dies is replaced; unheard, its error would end the process.
  pool.on('error', () => undefined)${open}
${openBroker ? throughBroker(to) : throughHandlers()}
  return {
    app,
    start: ${openBroker ? startBoth() : 'app.start'},
    placeOrder: (item) =>
      ${placeOrder},
    async isShipped(order) {
      const shipped = sql\`select from shop.orders where id = \${order} and shipped_at is not null\`
      return (await pool.query(shipped)).rowCount === 1
    },
    async close() {
      await app.stop()${openBroker ? '\n      await broker.close()' : ''}${close}
      await pool.end()
    },
  }
}
`
}

function bare(name: string): string {
  return name.replace('type ', '').toLowerCase()
}

function brokerType(open: string): string {
  return `
/** Tests put topics in PostgreSQL in its place. */
type OpenBroker = (pool: Pool) => Transport & Subscriber

const openOwnBroker: OpenBroker = ${open}
`
}

function throughHandlers(): string {
  return `  const placed = events.handle({
    'order.placed': async ({ payload: { order, item }, tx }) => {
      // What is written with tx happens once, however often the message is tried.
      await tx.query(sql\`update shop.orders set shipped_at = now() where id = \${order}\`)
      console.log(\`order \${order} is shipped: \${item}\`)
    },
  })
  const app = posthorn({ pool, handlers: placed })
  await app.setUp() // development; in production: npx posthorn sql
  await pool.query(TABLE)`
}

function throughBroker(to: string): string {
  return `  const broker = openBroker(pool)
  const app = posthorn({ pool, outboxes: [events], transports: { ${to}: broker } })
  // Development; in production: npx posthorn sql.
  await migrate(pool, [await engineMigrations(), await topicMigrations()])
  await app.setUp()
  await pool.query(TABLE)
  const ship = async ({ order, item }: Events['order.placed']) => {
    const shipped = sql\`update shop.orders set shipped_at = now()
      where id = \${order} and shipped_at is null\`
    // A message may come twice: the second time there is nothing to do.
    if ((await pool.query(shipped)).rowCount === 1) console.log(\`order \${order} is shipped: \${item}\`)
  }`
}

function startBoth(): string {
  return `async () => {
      await broker.subscribe({
        topic: 'orders',
        group: 'warehouse',
        handle: ({ payload }) => ship(payload as Events['order.placed']),
      })
      await app.start()
    }`
}
