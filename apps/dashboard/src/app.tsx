import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { type Api, ApiContext } from './api/client.tsx'
import { SessionContext } from './session/session-context.tsx'
import type { SessionKeeper } from './session/session.ts'
import { SettingsProvider } from './settings/settings.tsx'
import { type Contents, ContentsContext } from './systems.tsx'
import { cssVariables, styleNonce, tellStyleNonce, theme } from './theme/theme.ts'

interface AppProps {
  readonly contents: Contents
  readonly keeper: SessionKeeper
  readonly queries: QueryClient
  readonly api: Api
  readonly children: ReactNode
}

/** Shows pages in the document that the server sent. */
export function mountApp(props: AppProps): void {
  // Set before the styles were there; they follow what is chosen from now on.
  document.documentElement.style.removeProperty('color-scheme')
  tellStyleNonce()
  const root = document.querySelector('#root')
  if (root !== null) createRoot(root).render(<App {...props} />)
}

/** Everything that pages find above them. */
function App({ contents, keeper, queries, api, children }: AppProps) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-right" limit={4} />
      <ContentsContext value={contents}>
        <QueryClientProvider client={queries}>
          <SessionContext value={keeper}>
            <ApiContext value={api}>
              <SettingsProvider>{children}</SettingsProvider>
            </ApiContext>
          </SessionContext>
        </QueryClientProvider>
      </ContentsContext>
    </MantineProvider>
  )
}
