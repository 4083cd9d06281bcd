import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { page, root } from './markdown.ts'

const run = promisify(execFile)

/** None of them asks more of those who run Posthorn than to keep its text. */
const PERMISSIVE = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'],
  // Of the font: it may be part of a program, and not be sold alone.
  'OFL-1.1',
  ...['BlueOak-1.0.0', 'Unlicense', '(MIT OR CC0-1.0)', 'MIT AND ISC AND BSD-3-Clause'],
])

test('the page has the licences of the lock file', async () => {
  const script = join(root, 'scripts/licences.mjs')
  expect(await run(process.execPath, [script, '--check'])).toMatchObject({ stderr: '' })
})

test('what is installed to run may be used by everyone', () => {
  const { text } = page('docs/reference/licences.md')
  const licences = [...text.matchAll(/^\| (.+?) +\| \d+ /gm)].map(([, licence = '']) => licence)
  expect(licences.length).toBeGreaterThan(5)
  expect(licences.filter((licence) => !PERMISSIVE.has(licence))).toEqual([])
})

test('npm run sbom writes a CycloneDX document of the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sbom-'))
  try {
    const file = join(folder, 'sbom.cdx.json')
    await run(process.execPath, [join(root, 'scripts/sbom.mjs'), file])
    const { bomFormat, metadata, components, dependencies } = JSON.parse(
      await readFile(file, 'utf8'),
    ) as {
      bomFormat: string
      metadata: { component: { name: string } }
      components: { name: string; version: string; purl: string; hashes?: unknown[] }[]
      dependencies: { ref: string; dependsOn: string[] }[]
    }
    expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'posthorn'])
    const pg = components.find(({ name }) => name === 'pg')
    expect(pg).toMatchObject({ purl: `pkg:npm/pg@${pg?.version}`, hashes: [{ alg: 'SHA-512' }] })
    const names = new Set(components.map(({ name }) => name))
    expect(names).not.toContain('vitest')
    const { text } = page('docs/reference/licences.md')
    const listed = [...text.matchAll(/^\| [^|]+ \| \d+ +\| ([^|]+?) +\|$/gm)]
    expect(names).toEqual(new Set(listed.flatMap(([, list = '']) => list.split(', '))))
    // Every reference leads to a component.
    const refs = new Set([...components.map(({ purl }) => purl), dependencies[0]?.ref])
    const needed = dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
    expect(needed.filter((ref) => !refs.has(ref))).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})
