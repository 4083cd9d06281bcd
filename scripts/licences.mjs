// node scripts/licences.mjs [--check]: writes docs/reference/licences.md from package-lock.json, or
// tells whether the page is what it should be.

import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { root } from './command.mjs'
import { writeOrCheck } from './generated.mjs'
import { listPackages } from './packing/runtime-packages.mjs'

const PAGE = join(root, 'docs/reference/licences.md')

const HEAD = `# Licences

The runtime packages of Posthorn by licence. \`node scripts/licences.mjs\` writes this page from \`package-lock.json\`, and \`npm run sbom\` a CycloneDX document with versions and hashes ([dependencies](../operate/threat-model.md#dependencies)).

| licence | number | packages |
| --- | --- | --- |
`

async function writePage() {
  const byLicence = new Map()
  for (const { name, licence } of listPackages()) {
    byLicence.set(licence, (byLicence.get(licence) ?? new Set()).add(name))
  }
  const rows = [...byLicence]
    .map(([licence, names]) => [licence, [...names].toSorted((a, b) => (a < b ? -1 : 1))])
    .toSorted(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1))
    .map(([licence, names]) => `| ${licence} | ${names.length} | ${names.join(', ')} |\n`)
  const options = await resolveConfig(PAGE)
  return format(HEAD + rows.join(''), { ...options, parser: 'markdown' })
}

const complaint = 'docs/reference/licences.md is out of date: node scripts/licences.mjs'
writeOrCheck(PAGE, await writePage(), complaint)
