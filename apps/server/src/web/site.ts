import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { App } from '@posthorn/http'
import type { FastifyReply } from 'fastify'

/** What `npm run docs` builds, and the server's package has. */
const BUILT = fileURLToPath(new URL('../../dist/docs', import.meta.url))

const FILE = {
  schema: { hide: true },
  config: { access: 'public', rateLimit: 'files' },
} as const

export function hasSite(folder = BUILT): boolean {
  return existsSync(join(folder, 'index.html'))
}

/** Names as the build makes them: none has a dot in front or leads upwards. */
const NAME = /^(?:[\w-][\w.-]*(?:\/|$))*$/

/** Names that contain a hash of what is inside. */
const LASTING = /^(?:_astro|pagefind\/(?:index|fragment))\//

/**
 * Serves the documentation at `/docs/` as soon as it is built, also by another process. Until then
 * `/docs` leads to the reference of the API.
 */
export async function siteRoutes(app: App, folder = BUILT): Promise<void> {
  await app.register(async (site) => {
    await site.register(fastifyStatic, {
      // There before the site is built; each file names its own folder.
      root: dirname(dirname(folder)),
      serve: false,
      preCompressed: true,
      cacheControl: false,
      index: false,
    })
    site.get('/docs', FILE, (_request, reply) =>
      reply.redirect(hasSite(folder) ? '/docs/' : '/docs/api'),
    )
    site.get('/docs/*', FILE, async (request, reply) => {
      const { '*': path } = request.params as { '*': string }
      if (!hasSite(folder)) return path === '' ? reply.redirect('/docs/api') : reply.callNotFound()
      const name = path === '' || path.endsWith('/') ? `${path}index.html` : path
      const isThere = NAME.test(path) && existsSync(join(folder, name))
      if (isThere && !/\.\w+$/.test(name)) return reply.redirect(`/docs/${name}/`)
      const lasting = isThere && LASTING.test(name)
      return reply
        .code(isThere ? 200 : 404)
        .header('content-security-policy', await policyOf(reply, folder))
        .header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
        .sendFile(isThere ? name : '404.html', folder)
    })
  })
}

/**
 * The search runs as WebAssembly, in a worker that has the policy of its own file. The scripts within a
 * page are those of the build and no others.
 */
async function policyOf(reply: FastifyReply, folder: string): Promise<string> {
  const hashes = await readFile(join(folder, 'scripts.txt'), 'utf8')
  const usual = String(reply.getHeader('content-security-policy'))
  return `${usual}; script-src 'self' 'wasm-unsafe-eval' ${hashes.trim()}`
}
