// npm run sbom [-- file]: writes a CycloneDX document of what is installed to run, by default to
// dist/sbom.cdx.json. Made from package-lock.json alone: the same lock file gives the same document.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { root } from './command.mjs'
import { listPackages } from './packing/runtime-packages.mjs'

const [file = join(root, 'dist/sbom.cdx.json')] = process.argv.slice(2)
const packages = listPackages()
const own = JSON.parse(readFileSync(join(root, 'packages/engine/package.json'), 'utf8'))
const product = { name: 'posthorn', version: own.version, licence: own.license }

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** One package may lie in several places: it is one component. */
const components = new Map(packages.map((each) => [purlOf(each), each]))

function componentOf({ name, version, licence, integrity }, type) {
  const purl = purlOf({ name, version })
  const isExpression = /\b(OR|AND)\b/.test(licence)
  const [algorithm = '', digest = ''] = integrity?.split('-') ?? []
  const content = Buffer.from(digest, 'base64').toString('hex')
  return {
    ...{ type, 'bom-ref': purl, name, version, purl },
    licenses: [isExpression ? { expression: licence } : { license: { id: licence } }],
    ...(integrity && { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content }] }),
  }
}

const byName = (a, b) => (a < b ? -1 : 1)

const purlAt = new Map(packages.map((each) => [each.place, purlOf(each)]))
const needed = new Map()
for (const { place, needs } of packages) {
  const ref = purlAt.get(place)
  needed.set(ref, new Set([...(needed.get(ref) ?? []), ...needs.map((each) => purlAt.get(each))]))
}

const document = {
  ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
  metadata: { component: componentOf(product, 'application') },
  components: [...components.values()].map((each) => componentOf(each, 'library')),
  dependencies: [
    { ref: purlOf(product), dependsOn: [...components.keys()].toSorted(byName) },
    ...[...needed].map(([ref, refs]) => ({ ref, dependsOn: [...refs].toSorted(byName) })),
  ],
}
const path = resolve(file)
mkdirSync(dirname(path), { recursive: true })
writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`)
console.log(`${components.size} packages: ${path}`)
