import {
  type AnyRouter,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import type { Page, View } from './pages/page.ts'
import { Loading } from './parts/layout/notice.tsx'
import { parseSearch, stringifySearch } from './search-text.ts'
import { AuthGate, FirstPage, PageFailed, PageGate, PageMissing } from './shell/gates.tsx'

/** One route for each page and one for each of its views, behind the login. */
export function createPageRouter(pages: readonly Page[], base = ''): AnyRouter {
  const root = createRootRoute({ component: () => <AuthGate pages={pages} /> })
  const first = createRoute({
    getParentRoute: () => root,
    path: '/',
    component: () => <FirstPage pages={pages} />,
  })
  const routes = pages.map((page) => {
    const parent = createRoute({
      getParentRoute: () => root,
      path: page.name,
      component: () => <PageGate page={page} />,
    })
    return parent.addChildren(
      Object.entries(page.views).map(([below, view]) =>
        createRoute({
          getParentRoute: () => parent,
          path: below === '' ? '/' : below,
          component: lazyRouteComponent(async () => ({ default: await loadView(view) })),
        }),
      ),
    )
  })
  return createRouter({
    routeTree: root.addChildren([first, ...routes]),
    basepath: base || '/',
    parseSearch,
    stringifySearch,
    // A click is answered at once, also when the server does not.
    defaultPendingMs: 150,
    defaultPendingComponent: () => <Loading />,
    defaultErrorComponent: PageFailed,
    defaultNotFoundComponent: PageMissing,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  })
}

/** Public, small, and there as soon as the server is. */
const PROBE = '/healthz'

const EVERY_MS = 1_000

/** A view has a few parts, each of which may fail once. */
const MOST_ATTEMPTS = 5

/** A page that was just reloaded and still cannot load a part has a mistake in it. */
const AGAIN_MS = 30_000

const RELOADED = 'posthorn-reloaded'

/**
 * The component of a view. What cannot be fetched is asked for again when the server answers; after
 * an upgrade it has another name, which only loading the whole page tells.
 */
async function loadView(view: View): ReturnType<View> {
  let failure: unknown
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      return await view()
    } catch (error) {
      failure = error
      await untilServerAnswers()
      await addMissingStyles(error)
    }
  }
  if (!mayReload()) throw failure
  location.reload()
  // What was there stays until the page is left.
  return new Promise(() => undefined)
}

async function untilServerAnswers(): Promise<void> {
  for (;;) {
    const isThere = await fetch(PROBE, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return
    await new Promise((resolve) => void setTimeout(resolve, EVERY_MS))
  }
}

/** The bundler's loader asks for a style sheet once; one that failed it would leave out from then on. */
async function addMissingStyles(error: unknown): Promise<void> {
  const [, href] = /preload CSS for (\S+)/.exec(String(error)) ?? []
  if (href === undefined) return
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
  await new Promise<void>((resolve) => {
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => resolve())
    document.head.append(link)
  })
}

function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0)
  if (Date.now() - last < AGAIN_MS) return false
  sessionStorage.setItem(RELOADED, String(Date.now()))
  return true
}
