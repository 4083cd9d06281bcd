import { randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

export interface HttpOptions {
  /** 0 for any that is free. */
  readonly port: number
  /** Requests must bear it. */
  readonly token: string
  /** A server for each session: it remembers the name of its client, for the audit. */
  readonly open: () => McpServer
}

/** Clients that do not end their sessions lose the oldest; they are told, and begin another. */
const MOST_SESSIONS = 100

/** Serves Streamable HTTP at `/mcp` of this machine alone. */
export async function serveMcp({ port, token, open }: HttpOptions) {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const server = createServer((request, response) => {
    if (!isAllowed(request, token)) return refuse(response, 401)
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp')
      return refuse(response, 404)
    // The server sends nothing unasked, so there is no stream to open.
    if (request.method === 'GET') return refuse(response, 405)
    handle(request, response).catch(() => response.destroy())
  })
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (id !== undefined && !known) return refuse(response, 404)
    await (known ?? (await begin())).handleRequest(request, response)
  }
  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({
      enableJsonResponse: true,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport)
        const [oldest] = sessions
        if (sessions.size > MOST_SESSIONS && oldest) {
          sessions.delete(oldest[0])
          void oldest[1].close()
        }
      },
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await open().connect(transport)
    return transport
  }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A page in a browser cannot send the token, also where it has this address under another name. */
function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}
