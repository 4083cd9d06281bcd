import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { InvalidArgumentError } from 'commander'
import { EXIT, type ExitCode } from '../errors.ts'
import { examples, onDatabase, withName, type DatabaseOptions, type Define } from '../options.ts'
import { serveMcp } from '../mcp/http.ts'
import { createMcpServer } from '../mcp/server.ts'
import { operatorName, withSession } from '../session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { diagnose } from './doctor.ts'

interface McpOptions extends DatabaseOptions {
  readonly allowActions?: true
  readonly http?: number
  readonly by?: string
}

export const defineMcp: Define = (command, { terminal, end }) => {
  command
    .option('--allow-actions', 'offer tools that replay, pause, resume and cancel')
    .option('--http <port>', 'serve HTTP on this port of 127.0.0.1 instead of stdio', parsePort)
  onDatabase(withName(command)).action(async (options: McpOptions) =>
    end(await serve(terminal, options)),
  )
  examples(command, ['mcp', 'mcp --allow-actions --by ada', 'mcp --http 3333'])
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port < 65_536) return port
  throw new InvalidArgumentError('A port is a number up to 65535.')
}

/** Serves until the client closes its end, or the process is told to stop. */
async function serve(terminal: Terminal, options: McpOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const tools = {
      session,
      operator: operatorName(terminal, options),
      diagnose: () => diagnose(terminal, options),
    }
    const open = () => createMcpServer(tools, { allowActions: options.allowActions === true })
    const { interrupted } = terminal
    if (options.http === undefined) {
      const server = open()
      const closed = new Promise<void>((resolve) => {
        server.server.onclose = resolve
        terminal.stdin.once('end', resolve)
      })
      await server.connect(new StdioServerTransport())
      await Promise.race([closed, stopOf(interrupted)])
      await server.close()
      return EXIT.ok
    }
    const token = terminal.env['POSTHORN_MCP_TOKEN'] || randomBytes(24).toString('base64url')
    const { url, close } = await serveMcp({ port: options.http, token, open })
    const shown = terminal.env['POSTHORN_MCP_TOKEN'] ? 'POSTHORN_MCP_TOKEN' : token
    terminal.say(`MCP at ${url}, with the header Authorization: Bearer ${shown}`)
    await stopOf(interrupted)
    await close()
    return EXIT.ok
  })
}

async function stopOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
