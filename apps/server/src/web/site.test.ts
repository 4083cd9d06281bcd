import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp, createVerifier, type App } from '@posthorn/http'
import { expect, onTestFinished, test } from 'vitest'
import { siteRoutes } from './site.ts'

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-site-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'site')
}

async function build(folder: string): Promise<void> {
  await mkdir(join(folder, 'guide', 'quick-start'), { recursive: true })
  await mkdir(join(folder, '_astro'))
  await Promise.all(
    Object.entries({
      'index.html': 'the start',
      'guide/quick-start/index.html': 'the quick start',
      'guide/quick-start.md': '# Quick start',
      '404.html': 'no such page',
      '_astro/a.B1b2.js': 'void 0',
      'scripts.txt': "'sha256-abc'\n",
    }).map(([name, text]) => writeFile(join(folder, name), text)),
  )
  await writeFile(join(folder, '..', 'secret.txt'), 'not for the world')
}

async function serve(folder: string): Promise<App> {
  const verify = createVerifier({ secret: 'x'.repeat(32) })
  const app = await createApp({ title: 'Test', version: '0', production: false, verify })
  onTestFinished(() => app.close())
  await siteRoutes(app, folder)
  return app
}

test('the documentation is served as soon as it is built', async () => {
  const folder = await emptyFolder()
  const app = await serve(folder)
  for (const url of ['/docs', '/docs/']) {
    const { statusCode, headers } = await app.inject(url)
    expect([statusCode, headers.location]).toEqual([302, '/docs/api'])
  }
  expect((await app.inject('/docs/guide/quick-start/')).statusCode).toBe(404)
  await build(folder)
  expect((await app.inject('/docs')).headers.location).toBe('/docs/')
  const start = await app.inject('/docs/')
  expect([start.statusCode, start.body]).toEqual([200, 'the start'])
  expect(start.headers['content-security-policy']).toMatch(
    /default-src 'self';.*; script-src 'self' 'wasm-unsafe-eval' 'sha256-abc'$/,
  )
  expect((await app.inject('/docs/api')).statusCode).toBe(200)
})

test('pages, their Markdown, lasting files, and pages that are not there', async () => {
  const folder = await emptyFolder()
  await build(folder)
  const app = await serve(folder)
  expect((await app.inject('/docs/guide/quick-start/')).body).toBe('the quick start')
  expect((await app.inject('/docs/guide/quick-start')).headers.location).toBe(
    '/docs/guide/quick-start/',
  )
  const markdown = await app.inject('/docs/guide/quick-start.md')
  expect([markdown.body, markdown.headers['content-type']]).toEqual([
    '# Quick start',
    'text/markdown; charset=utf-8',
  ])
  const lasting = await app.inject('/docs/_astro/a.B1b2.js')
  expect(lasting.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  for (const path of [
    'nothing',
    'nothing/',
    '../secret.txt',
    '%2e%2e/secret.txt',
    '..%2fsecret.txt',
    '.hidden',
    'guide//',
  ]) {
    const { statusCode, body } = await app.inject(`/docs/${path}`)
    expect([path, statusCode]).toEqual([path, 404])
    expect(body).not.toContain('world')
  }
})
