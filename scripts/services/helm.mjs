import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { runWithRetries } from './command.mjs'

const VERSION = '3.22.0'
const SCHEMAS_VERSION = '1.37.0'
const OPERATOR_VERSION = '0.85.0'
const MONITORS = 'monitoring.coreos.com_servicemonitors.yaml'

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

/** The file that says what a ServiceMonitor is, as a cluster with the Prometheus operator has it. */
export async function ensureServiceMonitors({ log = console.error } = {}) {
  const home = await fillCache(`service-monitors-${OPERATOR_VERSION}`, async (folder) => {
    log(`fetching the resources of prometheus-operator ${OPERATOR_VERSION}`)
    const module = `github.com/prometheus-operator/prometheus-operator@v${OPERATOR_VERSION}`
    const modules = join(folder, 'modules')
    await runWithRetries('go', ['mod', 'download', module], {
      env: { GOMODCACHE: modules, GOFLAGS: '-modcacherw' },
    })
    const file = join(modules, module, 'example/prometheus-operator-crd', MONITORS)
    await copyFile(file, join(folder, MONITORS))
    await rm(modules, { recursive: true })
  })
  return join(home, MONITORS)
}
