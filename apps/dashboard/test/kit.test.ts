import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { System } from '@posthorn/system'
import { afterAll, expect, test } from 'vitest'
import { axe, openDashboard } from './harness/index.ts'

const APP = fileURLToPath(new URL('..', import.meta.url))
const GUIDE = new URL('../../../docs/guide/dashboard-pages.md', import.meta.url)

/** Below the dashboard, so that its packages are found, as in a project that has installed them. */
const folder = await mkdtemp(join(APP, 'dist.kit-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Writes the files of the guide, each under the name behind its fence. */
async function writeGuide(): Promise<void> {
  const text = await readFile(GUIDE, 'utf8')
  for (const [, name = '', content = ''] of text.matchAll(/^```tsx (\S+)\n(.*?)^```$/gms)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}

await writeGuide()
const config = join(folder, 'posthorn.config.ts')
const built = join(folder, 'dashboard')
await promisify(execFile)(process.execPath, [join(APP, 'build.mjs'), config, built])
const { systems } = (await import(pathToFileURL(config).href)) as { systems: readonly System[] }
const dashboard = await openDashboard({ systems, env: { POSTHORN_DASHBOARD_DIR: built } })

test('the pages of the guide are built, served and shown where their system runs', async () => {
  const pages = JSON.parse(await readFile(join(built, 'pages.json'), 'utf8')) as object
  expect(pages).toHaveProperty('robots')
  expect(pages).toHaveProperty('overview')
  const page = await dashboard.open('/overview')
  await page.getByRole('link', { name: 'Robots' }).click()
  await page.getByRole('gridcell', { name: 'beeping' }).waitFor()
  await axe(page)
})

test('the pages of the guide have types', async () => {
  const options = { jsx: 'react-jsx', module: 'esnext', moduleResolution: 'bundler' }
  const tsconfig = { extends: '../tsconfig.json', compilerOptions: options, include: ['robots'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(APP, '../../node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--noEmit', '-p', folder])
  expect(stdout).toBe('')
})
