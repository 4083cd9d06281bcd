// Programs that tests and proofs run, each fetched or built once.

import { copyFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtByGo, fetchedByPip, fetchedPackages, librariesIn } from './archives.mjs'
import { fillCache } from './cache.mjs'
import { run, runWithRetries } from './process.mjs'

const HELM_VERSION = '3.22.0'
const SCHEMAS_VERSION = '1.37.0'
const OPERATOR_VERSION = '0.85.0'
const MONITORS = 'monitoring.coreos.com_servicemonitors.yaml'
const COMPOSE_VERSION = '2.16.2'
const RUNTIMES = { bun: '1.4.4', deno: '2.9.6' }
const SCHEMATHESIS_VERSION = '4.32.5'

/** The path of helm, built from source by Go if it is not there. */
export async function ensureHelm({ log = console.error } = {}) {
  const module = 'helm.sh/helm/v3/cmd/helm'
  return join(await builtByGo('helm', { version: HELM_VERSION, module, log }), 'helm')
}

/**
 * The folder with kubernetes-validate and what it needs, for `PYTHONPATH`: it brings the schemas of
 * all manifests along, so that they are checked without a cluster and without the network.
 */
export function ensureKubernetesSchemas({ log = console.error } = {}) {
  return fetchedByPip('kubernetes-validate', { version: SCHEMAS_VERSION, log })
}

/** The folder with schemathesis and what it needs, for `PYTHONPATH`; fetched if it is not there. */
export function ensureSchemathesis({ log = console.error } = {}) {
  return fetchedByPip('schemathesis', { version: SCHEMATHESIS_VERSION, log })
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
  const module = 'github.com/compose-spec/compose-go/v2/cmd'
  return join(await builtByGo('compose-go', { version: COMPOSE_VERSION, module, log }), 'cmd')
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

/** A psql to run: the installed one, or the one of Debian's package, unpacked and not installed. */
export async function ensurePsql({ log = console.error } = {}) {
  const installed = await run('psql', ['--version']).catch(() => undefined)
  if (installed !== undefined) return { path: 'psql', env: {} }
  const wanted = { packages: ['postgresql-client'], own: ['postgresql-client', 'libpq5'], log }
  const home = await fetchedPackages('psql', wanted)
  const [version] = await readdir(join(home, 'usr/lib/postgresql'))
  return { path: join(home, 'usr/lib/postgresql', version, 'bin/psql'), env: librariesIn(home) }
}
