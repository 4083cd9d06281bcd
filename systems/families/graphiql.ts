import { createHash } from 'node:crypto'
import type { App } from '@posthorn/http'

const FIRST_QUERY = `# The token that "npm start" printed goes below, under Headers.
mutation {
  createFamily(input: { name: "Lovelace" }) {
    family { id name }
    errors { code message }
  }
}
`

/** GraphiQL at `/graphiql`, for development: served from here, with nothing loaded from elsewhere. */
export function graphiqlRoute(app: App): void {
  let page: Promise<Page> | undefined
  const schema = { summary: 'GraphiQL, in development', tags: ['families'] }
  app.get('/graphiql', { schema, config: { access: 'public' } }, async (_request, reply) => {
    page ??= renderPage()
    const { html, policy } = await page
    return reply.header('content-security-policy', policy).type('text/html').send(html)
  })
}

interface Page {
  readonly html: string
  /** Lets run what stands in the page, by its hash, and nothing else. */
  readonly policy: string
}

async function renderPage(): Promise<Page> {
  // Nine megabytes of script: only a request of the page waits for them.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const html = renderGraphiQL({
    title: 'Families',
    endpoint: '/graphql',
    headers: '{ "authorization": "Bearer …" }',
    defaultQuery: FIRST_QUERY,
  })
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text)
  const hashes = scripts.map(
    (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  const policy = [
    "default-src 'self'",
    `script-src ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    'worker-src blob: data:',
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, policy }
}
