import '@mantine/core/styles.css'
import '@mantine/dates/styles.css'
import '@mantine/notifications/styles.css'
import '../theme/theme.css'
import { createRoot } from 'react-dom/client'
import { errors, webs } from 'virtual:contents'
import { createApi } from '../api/client.ts'
import { createQueryClient } from '../api/query-client.ts'
import { App } from '../app.tsx'
import { createSessionKeeper } from '../session/session.ts'
import { createTokenStore, tokenIn } from '../session/token-store.ts'
import { pagesWith } from '../systems.tsx'
import { tellStyleNonce } from '../theme/theme.ts'
import { Portal, tellHost } from './portal.tsx'

/** There is no stream for portals: what is shown is asked for again. */
const LOOK_AGAIN_MS = 10_000

document.documentElement.style.removeProperty('color-scheme')
tellStyleNonce()
const { token } = tokenIn(location.hash)
// Out of the address, which people copy.
history.replaceState(null, '', location.pathname)
const keeper = createSessionKeeper(createTokenStore(memory()))
const api = createApi({
  token: () => keeper.current().session?.token ?? token,
  onExpired: () => {
    keeper.expire()
    tellHost('expired')
  },
})
const queries = createQueryClient()
queries.setDefaultOptions({
  queries: { ...queries.getDefaultOptions().queries, refetchInterval: LOOK_AGAIN_MS },
})
const root = document.querySelector('#root')
const pages = pagesWith([], webs)
const contents = { pages, errors, webs: webs.map(({ web }) => web) }
if (root !== null) {
  createRoot(root).render(
    <App {...{ contents, keeper, queries, api }}>
      <Portal {...{ keeper, api, token }} />
    </App>,
  )
}

/** A frame's own storage may be forbidden, and a token for minutes need not outlive its page. */
function memory(): Storage {
  const kept = new Map<string, string>()
  return {
    get length() {
      return kept.size
    },
    clear: () => kept.clear(),
    getItem: (name) => kept.get(name) ?? null,
    key: (index) => [...kept.keys()][index] ?? null,
    removeItem: (name) => void kept.delete(name),
    setItem: (name, value) => void kept.set(name, value),
  }
}
