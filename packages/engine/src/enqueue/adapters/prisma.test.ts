import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PrismaPg } from '@prisma/adapter-pg'
import { afterAll } from 'vitest'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromPrisma, type PrismaTransaction } from './prisma.ts'

const SCHEMA = `
generator client {
  provider            = "prisma-client"
  output              = "./generated"
  importFileExtension = "ts"
}
datasource db {
  provider = "postgresql"
}
model Thing {
  consumer String
  eventId  String @map("event_id") @db.Uuid
  @@id([eventId, consumer])
  @@map("thing")
}`

/** What is used of the generated client. */
interface Tx extends PrismaTransaction {
  readonly thing: {
    create(args: { data: { consumer: string; eventId: string } }): Promise<unknown>
    findMany(): Promise<{ eventId: string }[]>
  }
  $transaction<Result>(work: (tx: Tx) => Promise<Result>, options?: object): Promise<Result>
}
interface Client extends Tx {
  $disconnect(): Promise<void>
}
type Generated = { PrismaClient: new (options: { adapter: PrismaPg }) => Client }

// Not in node_modules, where Node refuses to run TypeScript.
const parent = join(import.meta.dirname, '../../../../../.posthorn')
await mkdir(parent, { recursive: true })
const folder = await mkdtemp(join(parent, 'prisma-'))
afterAll(() => rm(folder, { recursive: true }))

async function generate(): Promise<Generated> {
  await writeFile(join(folder, 'schema.prisma'), SCHEMA)
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js')
  await promisify(execFile)(process.execPath, [cli, 'generate', '--no-hints'], {
    cwd: folder,
    timeout: 60_000,
    env: {
      ...process.env,
      CHECKPOINT_DISABLE: '1',
      // Only migrations need it. Any file will do, and nothing is downloaded.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    },
  })
  return (await import(join(folder, 'generated/client.ts'))) as Generated
}

async function open(url: string): Promise<OpenClient<Tx>> {
  const { PrismaClient } = await generate()
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 12 }) })
  return {
    transaction: (work) => prisma.$transaction(work),
    nest: (tx, work) => tx.$transaction(work),
    insert: (tx, id) => tx.thing.create({ data: { consumer: 'caller', eventId: id } }),
    things: async (tx) => (await tx.thing.findMany()).map((row) => row.eventId),
    plain: [prisma],
    opaqueArray: true,
    close: () => prisma.$disconnect(),
  }
}

adapterConformance('prisma', fromPrisma, open)
