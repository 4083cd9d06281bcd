import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Locked {
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly integrity?: string
}

/** Tools for other platforms: none is installed to run, and not every registry has them. */
const OTHERS = /^node_modules\/@(?:oxlint(?:-tsgolint)?\/|astrojs\/compiler-binding-|pagefind\/)/

test.each([
  ['package-lock.json', 500],
  ['docs/site/package-lock.json', 200],
])('%s pins every package by its hash', async (file, least) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  const fetched = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  )
  expect(fetched.length).toBeGreaterThan(least)
  const loose = fetched.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  const unexpected = loose.filter(
    ([path, { dev, optional }]) => !(OTHERS.test(path) && dev === true && optional === true),
  )
  expect(unexpected.map(([path]) => path)).toEqual([])
})
