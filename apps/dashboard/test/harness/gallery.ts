import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const SOURCES = fileURLToPath(new URL('../../src/parts/testing', import.meta.url))

const KINDS: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export interface Gallery {
  readonly url: string
  close(): Promise<void>
}

/** A page with all parts on it, under the same policy as the dashboard. */
export async function serveGallery(): Promise<Gallery> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-gallery-'))
  await buildInto(folder)
  const server = createServer((request, response) => void answer(folder, request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function buildInto(folder: string): Promise<void> {
  const before = process.env['NODE_ENV']
  // As people get it: a test's React checks itself at every step.
  process.env['NODE_ENV'] = 'production'
  try {
    await build({
      root: SOURCES,
      configFile: false,
      logLevel: 'error',
      plugins: [react()],
      build: {
        outDir: folder,
        emptyOutDir: true,
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
      },
    })
  } finally {
    process.env['NODE_ENV'] = before
  }
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname } = new URL(request.url ?? '/', 'http://gallery.invalid')
  const name = pathname === '/' ? 'index.html' : pathname.slice(1)
  const content = await readFile(join(folder, name)).catch(() => undefined)
  if (content === undefined) {
    response.writeHead(pathname === '/favicon.ico' ? 204 : 404).end()
    return
  }
  const nonce = randomBytes(16).toString('base64')
  response.setHeader('content-type', KINDS[extname(name)] ?? 'application/octet-stream')
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; ` +
      `connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'`,
  )
  const isPage = name === 'index.html'
  response.end(isPage ? String(content).replace('__STYLE_NONCE__', nonce) : content)
}
