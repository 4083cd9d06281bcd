import { fillCache } from './cache.mjs'
import { runWithRetries } from './command.mjs'

const VERSION = '4.32.5'

/** The folder with schemathesis and what it needs, for `PYTHONPATH`; fetched if it is not there. */
export function ensureSchemathesis({ log = console.error } = {}) {
  return fillCache(`schemathesis-${VERSION}`, async (folder) => {
    log(`fetching schemathesis ${VERSION}`)
    const args = ['-m', 'pip', 'install', '--quiet', '--target', folder, `schemathesis==${VERSION}`]
    await runWithRetries('python3', args)
  })
}
