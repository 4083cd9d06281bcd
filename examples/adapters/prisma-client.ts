// Makes the client that `npx prisma generate` would make from schema.prisma, and opens it.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { PrismaPg } from '@prisma/adapter-pg'

/** What the example uses of the generated client. */
interface Client {
  readonly order: { create(args: { data: { totalCents: number } }): Promise<{ id: bigint }> }
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>
  $transaction<Result>(work: (tx: Client) => Promise<Result>): Promise<Result>
  $disconnect(): Promise<void>
}
type Generated = { PrismaClient: new (options: { adapter: PrismaPg }) => Client }

export async function openPrisma(connectionString: string): Promise<Client> {
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js')
  // Only migrations need the schema engine: any file in its place, and nothing is downloaded.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }
  execFileSync(process.execPath, [cli, 'generate', '--schema', 'schema.prisma', '--no-hints'], {
    cwd: import.meta.dirname,
    env: { ...env, CHECKPOINT_DISABLE: '1' },
    stdio: 'pipe',
    timeout: 60_000,
  })
  const client = new URL('../../.posthorn/example-prisma/client.ts', import.meta.url).href
  const { PrismaClient } = (await import(client)) as Generated
  return new PrismaClient({ adapter: new PrismaPg({ connectionString }) })
}
