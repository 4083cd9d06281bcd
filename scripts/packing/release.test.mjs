import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../command.mjs'
import { complaintsAbout } from './lint.mjs'
import { closeChangelog, digestsOf, lockWithVersion, objectionTo, withVersion } from './release.mjs'

test.each([
  ['0.2.0', '0.1.0'],
  ['1.0.0', '0.9.12'],
  ['0.2.0', '0.2.0-rc.1'],
  ['0.2.0-rc.2', '0.2.0-rc.1'],
  ['0.10.0', '0.9.0'],
])('%s may follow %s', (version, former) => {
  expect(objectionTo(version, former)).toBeUndefined()
})

test.each([
  ['0.1.0', '0.1.0', 'does not come after'],
  ['0.1.0', '0.2.0', 'does not come after'],
  ['0.9.0', '0.10.0', 'does not come after'],
  ['0.2.0-rc.1', '0.2.0', 'does not come after'],
  ['v0.2.0', '0.1.0', 'is no version'],
  ['0.2', '0.1.0', 'is no version'],
])('%s may not follow %s', (version, former, objection) => {
  expect(objectionTo(version, former)).toContain(objection)
})

test('a version reaches every place that names one of our packages, and no other', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const raised = lockWithVersion(lock, '9.8.7')
  const engine = JSON.parse(readFileSync(join(root, 'packages/saga/package.json'), 'utf8'))
  expect(withVersion(engine, '9.8.7')).toMatchObject({
    version: '9.8.7',
    dependencies: { '@posthorn/engine': '9.8.7' },
    engines: engine.engines,
  })
  const lines = (object) => JSON.stringify(object, null, 2).split('\n')
  const [before, after] = [lines(lock), lines(raised)]
  const changed = after.filter((line, i) => line !== before[i])
  expect(after).toHaveLength(before.length)
  expect(changed.length).toBeGreaterThan(20)
  expect(
    changed.filter(
      (line) => !/^ +"(version|@posthorn\/\w+|create-posthorn)": "9\.8\.7",?$/.test(line),
    ),
  ).toEqual([])
})

test('the changelog is closed only if it says something', () => {
  const text =
    '# Changelog\n\n## [Unreleased]\n\n- It rings.\n\n## [0.1.0] - 2026-01-02\n\n- First.\n'
  expect(closeChangelog(text, { version: '0.2.0', day: '2026-03-04' })).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n\n- It rings.\n\n## [0.1.0] - 2026-01-02\n\n- First.\n',
  )
  const silent = text.replace('- It rings.\n\n', '')
  expect(() => closeChangelog(silent, { version: '0.2.0', day: '2026-03-04' })).toThrow('nothing')
})

test('a package without its types is complained about, and its digest is that of sha512sum', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-lint-'))
  try {
    mkdirSync(join(folder, 'package'))
    const exports = { '.': { types: './index.d.ts', default: './index.js' } }
    const manifest = { name: 'odd', version: '1.0.0', type: 'module', license: 'MIT', exports }
    writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifest))
    writeFileSync(join(folder, 'package/index.js'), 'export const one = 1\n')
    const tarball = join(folder, 'odd-1.0.0.tgz')
    execFileSync('tar', ['-czf', tarball, '-C', folder, 'package'])
    const complaints = await complaintsAbout(tarball)
    expect(complaints.join('\n')).toMatch(/odd-1\.0\.0\.tgz: .*index\.d\.ts/)
    writeFileSync(join(folder, 'SHA512SUMS'), await digestsOf([tarball]))
    execFileSync('sha512sum', ['--check', '--quiet', 'SHA512SUMS'], { cwd: folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
