import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ApiProvider } from './api/api-context.tsx'
import type { Api } from './api/client.ts'
import type { PageRouter } from './router.tsx'
import type { SessionKeeper } from './session/session.ts'
import { SessionProvider } from './session/session-context.tsx'
import { SettingsGate } from './settings/settings.tsx'
import { styleNonce } from './theme/style-nonce.ts'
import { cssVariables, theme } from './theme/theme.ts'

interface AppProps {
  readonly keeper: SessionKeeper
  readonly queries: QueryClient
  readonly api: Api
  readonly router: PageRouter
}

/** Everything that pages find above them. */
export function App({ keeper, queries, api, router }: AppProps) {
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
              <RouterProvider router={router} />
            </SettingsGate>
          </ApiProvider>
        </SessionProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}
