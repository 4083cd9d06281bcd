import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Api, ApiProvider } from './api/client.tsx'
import { SessionProvider } from './session/session-context.tsx'
import type { SessionKeeper } from './session/session.ts'
import { SettingsProvider } from './settings/settings.tsx'
import { type Contents, ContentsProvider } from './systems.tsx'
import { cssVariables, styleNonce, theme } from './theme/theme.ts'

interface AppProps {
  readonly contents: Contents
  readonly keeper: SessionKeeper
  readonly queries: QueryClient
  readonly api: Api
  readonly children: ReactNode
}

/** Everything that pages find above them, in the dashboard and in the portal. */
export function App({ contents, keeper, queries, api, children }: AppProps) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-right" limit={4} />
      <ContentsProvider contents={contents}>
        <QueryClientProvider client={queries}>
          <SessionProvider keeper={keeper}>
            <ApiProvider api={api}>
              <SettingsProvider>{children}</SettingsProvider>
            </ApiProvider>
          </SessionProvider>
        </QueryClientProvider>
      </ContentsProvider>
    </MantineProvider>
  )
}
