import { Box, Center, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { IconClockOff } from '@tabler/icons-react'
import { QueryClientProvider, useQuery, type QueryClient } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { ApiProvider } from '../api/api-context.tsx'
import { dataOf, type Api } from '../api/client.ts'
import { NowProvider } from '../parts/now.tsx'
import { Notice } from '../parts/notice.tsx'
import { Loading } from '../parts/query-state.tsx'
import { parseSearch, stringifySearch } from '../search-text.ts'
import type { SessionKeeper } from '../session/session.ts'
import { SessionProvider, useSessionState } from '../session/session-context.tsx'
import { SettingsGate } from '../settings/settings.tsx'
import { PageFailed, PageMissing } from '../shell/gates.tsx'
import { useClock } from '../shell/use-clock.ts'
import { styleNonce } from '../theme/style-nonce.ts'
import { cssVariables, theme } from '../theme/theme.ts'
import { reportHeight } from './host.ts'

interface PortalProps {
  readonly keeper: SessionKeeper
  readonly queries: QueryClient
  readonly api: Api
  readonly token: string | undefined
}

/** A merchant's webhooks inside another site: the pages of webhooks, and nothing around them. */
export function Portal({ keeper, queries, api, token }: PortalProps) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-right" limit={4} />
      <QueryClientProvider client={queries}>
        <SessionProvider keeper={keeper}>
          <ApiProvider api={api}>
            <SettingsGate>
              <TokenGate keeper={keeper} api={api} token={token} />
            </SettingsGate>
          </ApiProvider>
        </SessionProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}

/** Nothing is shown before the server has said whose the token is. */
function TokenGate({ keeper, api, token }: Omit<PortalProps, 'queries'>) {
  const { session } = useSessionState()
  const asked = useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => {
      const me = await dataOf(api.GET('/api/v1/me', { signal }))
      keeper.logIn(token ?? '', { ...me, expiresAt: Date.parse(me.expiresAt) })
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

const root = createRootRoute({ component: Frame })

const views = {
  '/webhooks': () => import('../pages/webhooks/endpoints.tsx').then((file) => file.Endpoints),
  '/webhooks/deliveries': () =>
    import('../pages/webhooks/deliveries.tsx').then((file) => file.Deliveries),
  '/webhooks/runs': () => import('../pages/webhooks/runs.tsx').then((file) => file.Runs),
}

// In memory: the steps in a frame are none in the history of the page around it.
const router = createRouter({
  routeTree: root.addChildren(
    Object.entries(views).map(([path, view]) =>
      createRoute({
        getParentRoute: () => root,
        path,
        component: lazyRouteComponent(async () => ({ default: await view() })),
      }),
    ),
  ),
  history: createMemoryHistory({ initialEntries: ['/webhooks'] }),
  parseSearch,
  stringifySearch,
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: PageMissing,
})
