import type { AddressInfo } from 'node:net'
import type { Log } from '@posthorn/engine'
import { problem, sessionCookie, sessionSecret, type App } from '@posthorn/http'
import type { Simulator } from '@posthorn/simulators'
import type { DemoChapter, DemoStep } from '@posthorn/system'
import { createDemo, Progress } from './demo.ts'

const tags = ['demo']
const config = { access: 'operate-all' } as const

const schemas = {
  start: {
    summary: 'Start the demo of all systems as the caller, or return the running one',
    tags,
    response: { 202: Progress },
  },
  read: { summary: 'The progress of the demo', tags, response: { 200: Progress } },
  cancel: { summary: 'Stop the running demo', tags, response: { 200: Progress } },
}

export interface DemoRoutesOptions {
  readonly chapters: readonly DemoChapter[]
  readonly simulators: readonly Simulator[]
  readonly baseUrl: string | undefined
  readonly log: Log
}

/** In development only, like the simulators it is played with. */
export function demoRoutes(
  app: App,
  { chapters, simulators, baseUrl, log }: DemoRoutesOptions,
): void {
  const needed = [...new Set(chapters.flatMap((chapter) => chapter.simulators))]
  const demo = createDemo({ log, story: () => tellStory(chapters), simulators: needed })
  // At once, not when requests are drained: the story would go on asking a server that is stopping.
  app.closing.addEventListener('abort', () => void demo.close())
  app.addHook('preClose', () => demo.close())

  app.post('/api/v1/demo', { schema: schemas.start, config }, async (request, reply) => {
    const missing = needed.filter((name) => !simulators.some((each) => each.name === name))
    if (missing.length > 0) {
      throw problem('CONFLICT', {
        detail: `the demo needs the simulators, and here ${missing.join(', ')} is real`,
      })
    }
    const url = `http://${addressOf(app)}`
    const { authorization } = request.headers
    // The name of the cookie has the port that is asked, which is another one behind a proxy.
    const name = sessionCookie({ headers: { host: new URL(url).host } })
    const cookie = `${name}=${sessionSecret(request)}`
    const credentials = authorization === undefined ? { cookie } : { authorization }
    const actor = { credentials, url, baseUrl: baseUrl ?? url }
    return reply.code(202).send(demo.start(actor))
  })

  app.get('/api/v1/demo', { schema: schemas.read, config }, async () => demo.progress())

  app.delete('/api/v1/demo', { schema: schemas.cancel, config }, () => demo.cancel())
}

/** The steps of one run: openings first, then the chapters in the order of the systems, then closings. */
function tellStory(chapters: readonly DemoChapter[]): DemoStep[] {
  const steps = chapters.flatMap((chapter) => chapter.steps())
  const ofPart = (part: DemoStep['part']) => steps.filter((step) => step.part === part)
  return [...ofPart('opening'), ...ofPart(undefined), ...ofPart('closing')]
}

/** Where this process listens itself, behind any proxy. */
function addressOf(app: App): string {
  const { address, port, family } = app.server.address() as AddressInfo
  if (address === '0.0.0.0') return `127.0.0.1:${port}`
  if (address === '::') return `[::1]:${port}`
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}
