// Programs that tests and proofs run, each fetched or built once.

import { copyFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { run, runWithRetries } from './command.mjs'
import { debianRelease, unpackPackages } from './debian.mjs'

const HELM_VERSION = '3.22.0'
const SCHEMAS_VERSION = '1.37.0'
const OPERATOR_VERSION = '0.85.0'
const MONITORS = 'monitoring.coreos.com_servicemonitors.yaml'
const COMPOSE_VERSION = '2.16.2'
const RUNTIMES = { bun: '1.4.4', deno: '2.9.6' }
const SCHEMATHESIS_VERSION = '4.32.5'

/** The path of helm, built from source by Go if it is not there. */
export async function ensureHelm({ log = console.error } = {}) {
  const name = `helm-${HELM_VERSION}-${process.platform}-${process.arch}`
  const home = await fillCache(name, async (folder) => {
    log(`building helm ${HELM_VERSION}, some minutes the first time`)
    await runWithRetries('go', ['install', `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`], {
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

/**
 * The path of the program that reads Compose files as `docker compose` does, by the same module, and
 * prints what it makes of them; built from source by Go if it is not there. It needs no Docker.
 */
export async function ensureCompose({ log = console.error } = {}) {
  const name = `compose-go-${COMPOSE_VERSION}-${process.platform}-${process.arch}`
  const home = await fillCache(name, async (folder) => {
    log(`building compose-go ${COMPOSE_VERSION}`)
    await runWithRetries(
      'go',
      ['install', `github.com/compose-spec/compose-go/v2/cmd@v${COMPOSE_VERSION}`],
      { env: { GOBIN: folder, CGO_ENABLED: '0' } },
    )
  })
  return join(home, 'cmd')
}

/** Other runtimes than Node, from npm: what stands before a script. */
export async function ensureRuntimes({ log = console.error } = {}) {
  const { bun, deno } = RUNTIMES
  const name = `runtimes-bun-${bun}-deno-${deno}-${process.platform}-${process.arch}`
  const home = await fillCache(name, async (folder) => {
    log(`fetching Bun ${bun} and Deno ${deno}`)
    const manifest = {
      private: true,
      dependencies: RUNTIMES,
      allowScripts: { bun: true, deno: true },
    }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
    await runWithRetries('npm', ['install', ...quiet], { cwd: folder })
  })
  const programs = join(home, 'node_modules')
  return {
    bun: [join(programs, 'bun/bin/bun.exe'), 'run'],
    deno: [join(programs, '.bin/deno'), 'run', '-A'],
  }
}

/** The folder with schemathesis and what it needs, for `PYTHONPATH`; fetched if it is not there. */
export function ensureSchemathesis({ log = console.error } = {}) {
  return fillCache(`schemathesis-${SCHEMATHESIS_VERSION}`, async (folder) => {
    log(`fetching schemathesis ${SCHEMATHESIS_VERSION}`)
    const args = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--target',
      folder,
      `schemathesis==${SCHEMATHESIS_VERSION}`,
    ]
    await runWithRetries('python3', args)
  })
}

/** A psql to run: the installed one, or the one of Debian's package, unpacked and not installed. */
export async function ensurePsql({ log = console.error } = {}) {
  const installed = await run('psql', ['--version']).catch(() => undefined)
  if (installed !== undefined) return { path: 'psql', env: {} }
  const home = await fillCache(`psql-${await debianRelease()}-${process.arch}`, async (folder) => {
    log('psql: fetching, a few seconds the first time')
    await unpackPackages(['postgresql-client'], { folder, own: ['postgresql-client', 'libpq5'] })
  })
  const [version] = await readdir(join(home, 'usr/lib/postgresql'))
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
  return {
    path: join(home, 'usr/lib/postgresql', version, 'bin/psql'),
    env: { LD_LIBRARY_PATH: join(home, 'usr/lib', triplet) },
  }
}
