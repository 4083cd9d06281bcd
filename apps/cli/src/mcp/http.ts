import { timingSafeEqual } from 'node:crypto'
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
  /** A server for each request: no session is kept between two. */
  readonly open: () => McpServer
}

/** Serves Streamable HTTP at `/mcp` of this machine alone. */
export async function serveMcp({ port, token, open }: HttpOptions) {
  const server = createServer((request, response) => {
    if (!isAllowed(request, token)) return refuse(response, 401)
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp')
      return refuse(response, 404)
    // Without sessions there is no stream to open, and none to end.
    if (request.method !== 'POST') return refuse(response, 405)
    handle(request, response, open()).catch(() => response.destroy())
  })
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

async function handle(request: IncomingMessage, response: ServerResponse, server: McpServer) {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.once('close', () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response)
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
