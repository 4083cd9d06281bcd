import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../theme/theme.css'
import { webs } from 'virtual:contents'
import { type Api, createApi, dataOf } from '../api/client.tsx'
import { createQueryClient } from '../api/query-client.ts'
import { mountApp } from '../app.tsx'
import { createSessionKeeper, NOWHERE, type SessionKeeper, tokenIn } from '../session/session.ts'
import { pagesWith, useContents } from '../systems.tsx'
import { Box, Center } from '@mantine/core'
import { IconClockOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import type { Page } from '../pages/page.ts'
import { Loading, Notice } from '../parts/layout/notice.tsx'
import { NowProvider } from '../parts/show/facts.tsx'
import { parseSearch, stringifySearch } from '../search-text.ts'
import { useSessionState } from '../session/session-context.tsx'
import { PageFailed, PageMissing } from '../shell/gates.tsx'
import { useClock } from '../settings/settings.tsx'

/** There is no stream for portals: what is shown is asked for again. */
const LOOK_AGAIN_MS = 10_000

interface PortalProps {
  readonly keeper: SessionKeeper
  readonly api: Api
  readonly token: string | undefined
}

/** Pages of systems inside another site, and nothing around them, once the server knows the token. */
function Portal({ keeper, api, token }: PortalProps) {
  const { pages } = useContents()
  const router = useMemo(() => createPortalRouter(pages), [pages])
  const { session } = useSessionState()
  const asked = useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => {
      const me = await dataOf(api.GET('/api/v1/me', { signal }))
      keeper.enter({ ...me, expiresAt: Date.parse(me.expiresAt) })
      return me
    },
    enabled: token !== undefined && session === undefined,
    refetchInterval: false,
    retry: false,
  })
  if (session !== undefined) return <RouterProvider router={router} />
  if (token !== undefined && asked.isPending) {
    return (
      <Center mih={200} component="main">
        <Loading />
      </Center>
    )
  }
  return (
    <Box component="main" p="md">
      <Notice icon={IconClockOff} title="This view has expired">
        Reload the page that shows it.
      </Notice>
    </Box>
  )
}

function Frame() {
  const { aheadMs } = useClock()
  const frame = useRef<HTMLElement>(null)
  useEffect(() => (frame.current === null ? undefined : reportHeight(frame.current)), [])
  return (
    <NowProvider aheadMs={aheadMs}>
      <Box component="main" p="md" ref={frame}>
        <Outlet />
      </Box>
    </NowProvider>
  )
}

/** In memory: the steps in a frame must not appear in the history of the page around it. */
function createPortalRouter(pages: readonly Page[]) {
  const root = createRootRoute({ component: Frame })
  const shown = pages.filter(({ inPortal }) => inPortal)
  const routes = shown.flatMap(({ name, views }) =>
    Object.entries(views).map(([below, view]) =>
      createRoute({
        getParentRoute: () => root,
        path: below === '' ? `/${name}` : `/${name}/${below}`,
        component: lazyRouteComponent(async () => ({ default: await view() })),
      }),
    ),
  )
  return createRouter({
    routeTree: root.addChildren(routes),
    history: createMemoryHistory({ initialEntries: [`/${shown[0]?.name ?? ''}`] }),
    parseSearch,
    stringifySearch,
    defaultPendingComponent: () => <Loading />,
    defaultErrorComponent: PageFailed,
    defaultNotFoundComponent: PageMissing,
  })
}

/**
 * Tells the page that embeds the portal; nothing in it is secret, so any page may hear it. `expired`:
 * make a new token and load the frame again. `height`: in pixels, to fit the frame.
 */
function tellHost(type: 'expired' | 'height', height?: number): void {
  if (window.parent === window) return
  const message = { source: 'posthorn-portal', type, ...(height !== undefined && { height }) }
  window.parent.postMessage(message, '*')
}

/** Tells the host the height of the page whenever it changes. */
function reportHeight(element: HTMLElement): () => void {
  let last = 0
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(element.getBoundingClientRect().height)
    if (height === last) return
    last = height
    tellHost('height', height)
  })
  observer.observe(element)
  return () => observer.disconnect()
}

function openPortal(): void {
  const { token } = tokenIn(location.hash)
  // Out of the address, which people copy.
  history.replaceState(null, '', location.pathname)
  // A frame's own storage may be forbidden, and a token for minutes need not outlive its page.
  const keeper = createSessionKeeper(NOWHERE)
  const api = createApi({
    ...(token !== undefined && { token }),
    onExpired: () => {
      keeper.expire()
      tellHost('expired')
    },
  })
  const queries = createQueryClient()
  queries.setDefaultOptions({
    queries: { ...queries.getDefaultOptions().queries, refetchInterval: LOOK_AGAIN_MS },
  })
  const pages = pagesWith([], webs)
  const contents = { pages, webs: webs.map(({ web }) => web), isPortal: true }
  mountApp({ contents, keeper, queries, api, children: <Portal {...{ keeper, api, token }} /> })
}

openPortal()
