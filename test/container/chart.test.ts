import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ensureHelm,
  ensureKubernetesSchemas,
  ensureServiceMonitors,
} from '../../scripts/services/index.mjs'

const run = promisify(execFile)
const CHART = join(import.meta.dirname, '../../deploy/helm/posthorn')
/** The first one that the chart is for, and the newest that is known. */
const KUBERNETES = ['1.27', '1.37']
const EVERYTHING = [
  'serviceMonitor.enabled=true',
  'serviceMonitor.labels.release=prometheus',
  'ingress.enabled=true',
  'ingress.host=posthorn.example.com',
  'ingress.tlsSecret=posthorn-tls',
  'image.digest=sha256:' + 'a'.repeat(64),
  'imagePullSecrets[0].name=registry',
  'nodeSelector.pool=outbox',
  'podAnnotations.team=payments',
  'tolerations[0].key=outbox',
  'tolerations[0].operator=Exists',
].flatMap((value) => ['--set', value])

/** By the schema in the definition; a cluster drops fields that it does not know, here they fail. */
const VALIDATE_RESOURCE = `
import json, sys, yaml, jsonschema
definition = yaml.safe_load(open(sys.argv[1]))
manifest = json.load(open(sys.argv[2]))
version = manifest['apiVersion'].split('/')[1]
schema = next(v for v in definition['spec']['versions'] if v['name'] == version)['schema']['openAPIV3Schema']
def close(node):
    if isinstance(node, dict):
        if 'properties' in node: node.setdefault('additionalProperties', False)
        for child in node.values(): close(child)
    elif isinstance(node, list):
        for child in node: close(child)
close(schema)
schema['properties']['metadata'] = {'type': 'object'}
jsonschema.validate(manifest, schema)
`

interface Manifest {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly annotations?: Record<string, string>
    readonly labels?: Record<string, string>
  }
  readonly spec: Record<string, unknown>
}

interface ServiceMonitor extends Manifest {
  readonly spec: {
    readonly endpoints: readonly object[]
    readonly selector: { readonly matchLabels: Record<string, string> }
  }
}

function isServiceMonitor(manifest: Manifest): manifest is ServiceMonitor {
  return manifest.kind === 'ServiceMonitor'
}

let helm = ''
let python: NodeJS.ProcessEnv = {}
let folder = ''

beforeAll(async () => {
  helm = await ensureHelm()
  python = { ...process.env, PYTHONPATH: await ensureKubernetesSchemas() }
  folder = await mkdtemp(join(tmpdir(), 'posthorn-chart-'))
}, 900_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

const template = async (...args: string[]): Promise<string> => {
  // A helm that was built by Go alone takes every cluster for one of 1.20.
  const cluster = ['--kube-version', '1.27.0', '--namespace', 'shop']
  const { stdout } = await run(helm, ['template', 'shop', CHART, ...cluster, ...args])
  return stdout
}

/** The manifests as values; what reads them is what the schema check brings along. */
const manifestsOf = async (yaml: string): Promise<Manifest[]> => {
  const file = join(folder, 'manifests.yaml')
  await writeFile(file, yaml)
  const read =
    'import json,sys,yaml;print(json.dumps([d for d in yaml.safe_load_all(open(sys.argv[1])) if d]))'
  const { stdout } = await run('python3', ['-c', read, file], { env: python })
  return JSON.parse(stdout) as Manifest[]
}

const names = (manifests: readonly Manifest[]) =>
  manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()

describe('the chart', { timeout: 120_000 }, () => {
  test('has nothing that helm would mend', async () => {
    const { stdout } = await run(helm, ['lint', CHART, '--strict', ...EVERYTHING])
    expect(stdout).toContain('0 chart(s) failed')
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/)
  })

  test('makes roles apart, and the migration before them', async () => {
    const manifests = await manifestsOf(await template(...EVERYTHING))
    expect(names(manifests)).toEqual([
      'Deployment shop-posthorn-api',
      'Deployment shop-posthorn-relay',
      'Deployment shop-posthorn-worker',
      'Ingress shop-posthorn',
      'Job shop-posthorn-migrate',
      'PodDisruptionBudget shop-posthorn-api',
      'PodDisruptionBudget shop-posthorn-relay',
      'PodDisruptionBudget shop-posthorn-worker',
      'Service shop-posthorn',
      'Service shop-posthorn-metrics',
      'ServiceAccount shop-posthorn',
      'ServiceMonitor shop-posthorn',
    ])
    const job = manifests.find(({ kind }) => kind === 'Job')
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    for (const { spec } of manifests.filter(({ kind }) => /^(Deployment|Job)$/.test(kind))) {
      const pod = (spec as { template: { spec: Record<string, unknown> } }).template.spec
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10_001 },
        containers: [
          {
            image: `posthorn@sha256:${'a'.repeat(64)}`,
            securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
            envFrom: [{ secretRef: { name: 'posthorn' } }],
          },
        ],
      })
    }
  })

  test.each(KUBERNETES)('is what Kubernetes %s takes', async (version) => {
    const manifests = await manifestsOf(await template('--kube-version', version, ...EVERYTHING))
    // A resource of the Prometheus operator has its schema there: see below.
    const known = manifests.filter(({ kind }) => kind !== 'ServiceMonitor')
    const file = join(folder, `${version}.json`)
    await writeFile(file, JSON.stringify(known))
    const check = [
      'import json,sys,kubernetes_validate as kv',
      'for m in json.load(open(sys.argv[1])): kv.validate(m, sys.argv[2], strict=True)',
    ].join('\n')
    await run('python3', ['-c', check, file, version], { env: python })
    // It does find what is wrong.
    await writeFile(file, JSON.stringify([{ ...known[0], spec: { replica: 1 } }]))
    const wrong = run('python3', ['-c', check, file, version], { env: python })
    await expect(wrong).rejects.toThrow('ValidationError')
  })

  test('has a ServiceMonitor that the Prometheus operator takes', async () => {
    const manifests = await manifestsOf(await template(...EVERYTHING))
    const [monitor] = manifests.filter(isServiceMonitor)
    if (monitor === undefined) throw new Error('there is no ServiceMonitor')
    const definition = await ensureServiceMonitors()
    const validate = async (manifest: unknown) => {
      const file = join(folder, 'monitor.json')
      await writeFile(file, JSON.stringify(manifest))
      await run('python3', ['-c', VALIDATE_RESOURCE, definition, file], { env: python })
    }
    await validate(monitor)
    // It does find what is wrong, and what is not known.
    const { endpoints, selector } = monitor.spec
    const [endpoint] = endpoints
    for (const wrong of [{ interval: 'often' }, { intervall: '30s' }]) {
      const spec = { ...monitor.spec, endpoints: [{ ...endpoint, ...wrong }] }
      await expect(validate({ ...monitor, spec })).rejects.toThrow('ValidationError')
    }
    // It leads to the service that is there, by its labels and the name of its port.
    const service = manifests.find(({ metadata }) => metadata.name === 'shop-posthorn-metrics')
    expect(service?.metadata.labels).toMatchObject(selector.matchLabels)
    expect(service?.spec['ports']).toMatchObject([{ name: 'http' }])
    expect(endpoint).toMatchObject({ port: 'http', path: '/metrics' })
  })

  test('leaves out a role without replicas, and what was not asked for', async () => {
    const manifests = await manifestsOf(
      await template('--set', 'roles.worker.replicas=0', '--set', 'migrate.enabled=false'),
    )
    expect(names(manifests)).toEqual([
      'Deployment shop-posthorn-api',
      'Deployment shop-posthorn-relay',
      'PodDisruptionBudget shop-posthorn-api',
      'PodDisruptionBudget shop-posthorn-relay',
      'Service shop-posthorn',
      'ServiceAccount shop-posthorn',
    ])
  })

  test.each([
    ['replicas of a role that there is not', 'roles.relays.replicas=2'],
    ['a secret among the settings', 'env.DATABASE_URL=postgresql://user:secret@host/db'],
    ['an ingress without a host', 'ingress.enabled=true'],
    ['less time to end than the server takes', 'terminationGracePeriodSeconds=5'],
  ])('refuses %s', async (_, value) => {
    await expect(template('--set', value)).rejects.toThrow(/values don't meet the specifications/)
  })
})
