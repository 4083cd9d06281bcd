import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { runWithRetries } from './command.mjs'

const VERSION = '2.16.2'

/**
 * The path of the program that reads Compose files as `docker compose` does, by the same module, and
 * prints what it makes of them; built from source by Go if it is not there. It needs no Docker.
 */
export async function ensureCompose({ log = console.error } = {}) {
  const name = `compose-go-${VERSION}-${process.platform}-${process.arch}`
  const home = await fillCache(name, async (folder) => {
    log(`building compose-go ${VERSION}`)
    await runWithRetries(
      'go',
      ['install', `github.com/compose-spec/compose-go/v2/cmd@v${VERSION}`],
      { env: { GOBIN: folder, CGO_ENABLED: '0' } },
    )
  })
  return join(home, 'cmd')
}
