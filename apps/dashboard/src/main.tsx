import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme/theme.css'
import { RouterProvider } from '@tanstack/react-router'
import { webs } from 'virtual:contents'
import { createApi } from './api/client.tsx'
import { createQueryClient } from './api/query-client.ts'
import { mountApp } from './app.tsx'
import { operatorPages } from './pages/index.ts'
import { createPageRouter } from './router.tsx'
import { openSession } from './session/open-session.ts'
import { createClaimsStore, createSessionKeeper, tokenIn } from './session/session.ts'
import { basePath } from './settings/settings.tsx'
import { pagesWith } from './systems.tsx'

/** Logs in by the link that `npm start` prints, and takes the token out of the address and history. */
async function logInByLink(): Promise<void> {
  const { token, rest } = tokenIn(location.hash)
  if (token === undefined) return
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest}`)
  try {
    keeper.logIn(await openSession(token))
  } catch {
    keeper.refuseLink()
  }
}

const keeper = createSessionKeeper(createClaimsStore(localStorage))
addEventListener('storage', keeper.follow)
const queries = createQueryClient()
// What one user has read is not for the next; the server's settings are the same for all.
keeper.subscribe(() => {
  if (keeper.current().session !== undefined) return
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'settings' })
})
const base = basePath()
const api = createApi({ baseUrl: base || '/', onExpired: keeper.expire })
await logInByLink()
const pages = pagesWith(operatorPages, webs)
const contents = { pages, webs: webs.map(({ web }) => web) }
const router = createPageRouter(pages, base)
document.querySelector('#boot')?.remove()
mountApp({ contents, keeper, queries, api, children: <RouterProvider router={router} /> })
