import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Locked {
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly integrity?: string
}

/** The linter's programs for other platforms: none is installed to run, and not every registry has them. */
const LINTER = /^node_modules\/@oxlint(?:-tsgolint)?\//

test('the lock file pins every package by its hash', async () => {
  const text = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  const fetched = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  )
  expect(fetched.length).toBeGreaterThan(500)
  const loose = fetched.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  const others = loose.filter(
    ([path, { dev, optional }]) => !(LINTER.test(path) && dev === true && optional === true),
  )
  expect(others.map(([path]) => path)).toEqual([])
})
