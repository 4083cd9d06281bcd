import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { runWithRetries } from './command.mjs'

const VERSION = '3.22.0'
const SCHEMAS_VERSION = '1.37.0'

/** The path of helm, built from source by Go if it is not there. */
export async function ensureHelm({ log = console.error } = {}) {
  const name = `helm-${VERSION}-${process.platform}-${process.arch}`
  const home = await fillCache(name, async (folder) => {
    log(`building helm ${VERSION}, some minutes the first time`)
    await runWithRetries('go', ['install', `helm.sh/helm/v3/cmd/helm@v${VERSION}`], {
      env: { GOBIN: folder, CGO_ENABLED: '0' },
    })
  })
  return join(home, 'helm')
}

/**
 * The folder with kubernetes-validate and what it needs, for `PYTHONPATH`: it brings the schemas of
 * all manifests along, so that they are checked without a cluster and without the network.
 */
export function ensureKubernetesSchemas({ log = console.error } = {}) {
  return fillCache(`kubernetes-validate-${SCHEMAS_VERSION}`, async (folder) => {
    log(`fetching kubernetes-validate ${SCHEMAS_VERSION}`)
    const wanted = `kubernetes-validate==${SCHEMAS_VERSION}`
    await runWithRetries('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, wanted])
  })
}
