// npm run release -- 0.2.0: gives all packages a version and closes the changelog, for a commit.
// npm run release: packs them, examines each and says how they are published. Publishes nothing.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, runProgram, untilInterrupted } from './command.mjs'
import { complaintsAbout } from './packing/lint.mjs'
import { readManifest, readPackages } from './packing/packages.mjs'
import {
  closeChangelog,
  digestsOf,
  lockWithVersion,
  objectionTo,
  withVersion,
} from './packing/release.mjs'

const MANIFESTS = [
  'packages/*/package.json',
  'apps/*/package.json',
  'bench/package.json',
  'examples/*/package.json',
]

function raise(version) {
  const objection = objectionTo(version, readManifest('packages/engine').version)
  if (objection) throw new Error(objection)
  const day = new Date().toISOString().slice(0, 10)
  const changelog = closeChangelog(read('CHANGELOG.md'), { version, day })
  for (const file of globSync(MANIFESTS, { cwd: root })) {
    rewrite(file, (manifest) => withVersion(manifest, version))
  }
  rewrite('package-lock.json', (lock) => lockWithVersion(lock, version))
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  console.log(`All packages are ${version}. Read the diff, run npm run check, commit, and tag it:`)
  console.log(`  git commit --all --message 'Release ${version}' && git tag v${version}`)
}

async function prepare(signal) {
  const { version } = readManifest('packages/engine')
  const objections = objectionsToRelease(version)
  // Known in a moment: packing and examining take a minute.
  if (objections.length > 0) throw refusal(objections)
  const to = join(root, '.posthorn', 'release')
  await rm(to, { recursive: true, force: true })
  const { status, output } = await runProgram('scripts/pack.mjs', ['--to', to], { signal })
  if (status !== 0) throw new Error(output)
  const files = (await readdir(to)).map((file) => join(to, file))
  const complaints = []
  for (const file of files) complaints.push(...(await complaintsAbout(file)))
  if (complaints.length > 0) throw refusal(complaints)
  writeFileSync(join(to, 'SHA512SUMS'), await digestsOf(files))
  console.log(`${files.length} packages of ${version} are in ${to}. In this order, by hand:`)
  for (const { tarball } of readPackages([])) console.log(`  npm publish ${join(to, tarball)}`)
}

function refusal(objections) {
  return new Error(['Not to be published:', ...objections].join('\n- '))
}

/** What of the repository stands against a release. */
function objectionsToRelease(version) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const isTagged = git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)
  return [
    ...(git('status', '--porcelain') === '' ? [] : ['The working tree has changes.']),
    ...(isTagged ? [] : [`The last commit has no tag v${version}.`]),
    ...(read('CHANGELOG.md').includes(`## [${version}] - `)
      ? []
      : [`CHANGELOG.md has no section [${version}].`]),
    ...(readManifest('.').repository?.url
      ? []
      : ['package.json has no repository.url, which npm compares with the provenance.']),
  ]
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

function rewrite(file, change) {
  writeFileSync(join(root, file), `${JSON.stringify(change(JSON.parse(read(file))), null, 2)}\n`)
}

try {
  const { positionals } = parseArgs({ allowPositionals: true })
  if (positionals.length > 1) throw new Error('npm run release takes one version, or none.')
  const [version] = positionals
  if (version) raise(version)
  else await prepare(untilInterrupted())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
