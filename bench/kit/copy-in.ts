import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { Connection, PoolClient, Submittable } from 'pg'

/** The part of pg's connection that COPY needs. */
interface CopyConnection {
  readonly stream: {
    readonly writableNeedDrain: boolean
    once(event: 'drain', f: () => void): void
  }
  query(text: string): void
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
}

/** COPY from a file and nothing else: what any loader through pg is measured by. */
export async function copyIn(client: PoolClient, text: string, file: string): Promise<void> {
  const chunks: AsyncIterable<Uint8Array> = createReadStream(file)
  const done = Promise.withResolvers<void>()
  const copy = {
    submit: (connection: Connection) => (connection as unknown as CopyConnection).query(text),
    handleError: (error: Error) => done.reject(error),
    handleReadyForQuery: () => done.resolve(),
    handleCommandComplete: () => undefined,
    handleCopyInResponse(connection: CopyConnection) {
      send(connection, chunks).catch((error: unknown) => done.reject(error as Error))
    },
  }
  client.query(copy as unknown as Submittable)
  await done.promise
}

async function send(connection: CopyConnection, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    connection.sendCopyFromChunk(chunk)
    if (connection.stream.writableNeedDrain) {
      await once(connection.stream as unknown as NodeJS.EventEmitter, 'drain')
    }
  }
  connection.endCopyFrom()
}
