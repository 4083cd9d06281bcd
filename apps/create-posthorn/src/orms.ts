export const ORMS = ['pg', 'drizzle', 'prisma'] as const

/** What differs by what the service reads and writes with. */
interface OrmParts {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly postinstall?: string
  readonly files: Readonly<Record<string, string>>
  readonly imports: string
  /** The engine's adapter for it: `fromDrizzle`. */
  readonly adapter?: string
  /** Opens its client, after the pool. */
  readonly open: string
  readonly placeOrder: string
  readonly close: string
}

const ENQUEUE = (tx: string) =>
  `await events.enqueue(${tx}, 'order.placed', { order, item }, { key: String(order) })`

const DRIZZLE_SCHEMA = `import { integer, pgSchema, text, timestamp } from 'drizzle-orm/pg-core'

export const orders = pgSchema('shop').table('orders', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  item: text().notNull(),
  shippedAt: timestamp('shipped_at', { withTimezone: true }),
})
`

const PRISMA_SCHEMA = `generator client {
  provider            = "prisma-client"
  output              = "../src/generated/prisma"
  importFileExtension = "ts"
}

datasource db {
  provider = "postgresql"
  schemas  = ["shop"]
}

model Order {
  id        Int       @id @default(autoincrement())
  item      String
  shippedAt DateTime? @map("shipped_at")

  @@map("orders")
  @@schema("shop")
}
`

export const ORM_PARTS: Readonly<Record<(typeof ORMS)[number], OrmParts>> = {
  pg: {
    dependencies: {},
    files: {},
    imports: '',
    open: '',
    placeOrder: `app.transaction(async (tx) => {
        const { rows } = await tx.query<{ id: number }>(
          sql\`insert into shop.orders (item) values (\${item}) returning id\`,
        )
        const order = rows[0]?.id ?? 0
        ${ENQUEUE('tx')}
        return order
      })`,
    close: '',
  },
  drizzle: {
    dependencies: { 'drizzle-orm': '^0.45.4' },
    files: { 'src/schema.ts': DRIZZLE_SCHEMA },
    imports: `import { drizzle } from 'drizzle-orm/node-postgres'\n`,
    adapter: 'fromDrizzle',
    open: '\n  const db = drizzle(pool)',
    placeOrder: `db.transaction(async (tx) => {
        const [row] = await tx.insert(orders).values({ item }).returning()
        const order = row?.id ?? 0
        ${ENQUEUE('fromDrizzle(tx)')}
        return order
      })`,
    close: '',
  },
  prisma: {
    dependencies: { '@prisma/adapter-pg': '^7.10.0', '@prisma/client': '^7.10.0' },
    devDependencies: { prisma: '^7.10.0' },
    postinstall: 'prisma generate --schema prisma/schema.prisma --no-hints',
    files: { 'prisma/schema.prisma': PRISMA_SCHEMA },
    imports: `import { PrismaPg } from '@prisma/adapter-pg'\n`,
    adapter: 'fromPrisma',
    open: '\n  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })',
    placeOrder: `prisma.$transaction(async (tx) => {
        const { id: order } = await tx.order.create({ data: { item } })
        ${ENQUEUE('fromPrisma(tx)')}
        return order
      })`,
    close: '\n      await prisma.$disconnect()',
  },
}
