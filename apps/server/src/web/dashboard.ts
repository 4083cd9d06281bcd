import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { App } from '@posthorn/http'
import { MINOR_UNITS } from '@posthorn/system'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Configuration } from '../configuration/configuration.ts'

/** What `scripts/dashboard.mjs` builds, and the dashboard's package has. */
const BUILT = join(
  dirname(createRequire(import.meta.url).resolve('@posthorn/dashboard/package.json')),
  'dist',
)

const PUBLIC = { schema: { hide: true }, config: { access: 'public' } } as const
const FILE = { ...PUBLIC, config: { access: 'public', rateLimit: 'files' } } as const

export function isBuilt(folder = BUILT): boolean {
  return existsSync(join(folder, 'index.html'))
}

export interface DashboardOptions {
  readonly configuration: Pick<Configuration, 'production' | 'oidc' | 'portalAncestors'>
  /** What there is beside outboxes: names of systems, `retention`, `simulators`, `demo`. */
  readonly has: readonly string[]
  /** Where the pages are, as `/posthorn`; default at the root. */
  readonly base?: string
  /** `host`: the application around it knows who asks. Default `here`. */
  readonly login?: 'host' | 'here'
  /** Default: the one of this repository. */
  readonly folder?: string
}

/**
 * Serves the built dashboard at `/`, at the addresses of its pages and at no others: what is none of
 * them stays a 404. Without a build `/` leads to the documentation.
 */
export async function dashboardRoutes(app: App, options: DashboardOptions): Promise<void> {
  const { folder = BUILT } = options
  if (!isBuilt(folder)) {
    app.get('/', FILE, (_request, reply) => reply.redirect('/docs'))
    return
  }
  await app.register((assets) => assetRoutes(assets, folder))
  await pageRoutes(app, { ...options, folder })
}

/** All assets lie in one folder: what has a slash or begins with a dot is none of them. */
const PLAIN = /^\w[\w.-]*$/

/** A name that contains a hash of what is inside never means anything else. */
const HASHED = /-[\w-]{8}\.\w+$/

async function assetRoutes(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    serve: false,
    preCompressed: true,
    cacheControl: false,
    index: false,
    dotfiles: 'ignore',
  })
  app.get('/assets/*', FILE, (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    if (!PLAIN.test(name)) return reply.callNotFound()
    const lasting = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache'
    return reply.header('cache-control', lasting).sendFile(name)
  })
}

/** The addresses of the pages, each with the scripts that it is made of. */
type Pages = Readonly<Record<string, readonly string[]>>

async function pageRoutes(
  app: App,
  options: DashboardOptions & { readonly folder: string },
): Promise<void> {
  const { folder, configuration, base = '', has, login = 'here' } = options
  const { production, oidc = null } = configuration
  const readPages = async () =>
    JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')) as Pages
  const settings = asAttribute({ production, oidc, minorUnits: MINOR_UNITS, has, login })
  const addresses = [
    '/',
    ...Object.keys(await readPages()).flatMap((page) => [`/${page}`, `/${page}/*`]),
  ]
  const sendPage = async (reply: FastifyReply, file: string, ancestors: readonly string[]) => {
    const nonce = randomBytes(16).toString('base64')
    // Read each time: a build beside a running server has other assets.
    const page = await readFile(join(folder, file), 'utf8')
    const shown = /^\/([^/?]+)/.exec(reply.request.url)?.[1] ?? ''
    const scripts = (await readPages())[shown] ?? []
    const preloads = scripts.map((name) => `<link rel="modulepreload" href="./assets/${name}">`)
    return reply
      .header('content-security-policy', policyWith({ nonce, ancestors, ...configuration }))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(
        page
          .replaceAll('__STYLE_NONCE__', nonce)
          .replaceAll('__BASE__', base)
          .replaceAll('__SETTINGS__', () => settings)
          .replace('</head>', `${preloads.join('')}</head>`)
          .replaceAll('"./assets/', `"${base}/assets/`),
      )
  }
  for (const address of addresses) {
    app.get(address, FILE, (_request, reply) => sendPage(reply, 'index.html', []))
  }
  // An address that is none is a page that says so; programs get their problem.
  app.get('/*', PUBLIC, (request, reply) =>
    isForPeople(request) ? sendPage(reply.code(404), 'index.html', []) : reply.callNotFound(),
  )
  app.get('/portal', FILE, (_request, reply) => {
    const { portalAncestors: ancestors } = configuration
    // It knows one answer for all; the policy above it names the origins, and browsers prefer it.
    if (ancestors.length > 0) reply.removeHeader('x-frame-options')
    return sendPage(reply, 'portal.html', ancestors)
  })
}

function asAttribute(value: unknown): string {
  return JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}

/** Addresses that are for programs, also those that take HTML. */
const FOR_PROGRAMS = /^\/(?:api|sim|assets|docs)(?:\/|$)|\.\w+$/

function isForPeople({ url, headers }: FastifyRequest): boolean {
  const [path = ''] = url.split('?', 1)
  return (headers.accept ?? '').includes('text/html') && !FOR_PROGRAMS.test(path)
}

interface Policy {
  readonly nonce: string
  /** Origins that may embed the page. */
  readonly ancestors: readonly string[]
  readonly oidc: Configuration['oidc']
}

/**
 * Scripts come from this server only, even if a page is injected with others. The components write style
 * elements of their own and get a nonce for them.
 */
function policyWith({ nonce, ancestors, oidc }: Policy): string {
  const provider = oidc === undefined ? '' : ` ${new URL(oidc.authority).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self'${provider}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}
