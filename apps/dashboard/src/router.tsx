import {
  type AnyRouter,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import type { Page, View } from './pages/page.ts'
import { loadView } from './load-view.ts'
import { Loading } from './parts/query-state.tsx'
import { parseSearch, stringifySearch } from './search-text.ts'
import { AuthGate, FirstPage, PageFailed, PageGate, PageMissing } from './shell/gates.tsx'

export type PageRouter = AnyRouter

/** One route for each page and one for each of its views, behind the login. */
export function createPageRouter(pages: readonly Page[], base = ''): PageRouter {
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
          component: componentOf(view),
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

function componentOf(view: View) {
  return lazyRouteComponent(async () => ({ default: await loadView(view) }))
}
