#!/usr/bin/env node
// posthorn-dashboard [posthorn.config.ts] [folder]: builds the dashboard with the pages of the systems
// that the configuration exports. Without a configuration it has the operators' pages only.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const CONTENTS = 'virtual:contents'

/** The reference of errors: part of the documentation, and of the published package. */
const errors = ['errors.md', '../../docs/reference/errors.md']
  .map((path) => join(here, path))
  .find((path) => existsSync(path))

/** The systems of a configuration that have pages: each with its name and the module of its pages. */
async function findWebs(config) {
  if (config === undefined) return []
  const { systems } = await import(pathToFileURL(resolve(config)).href)
  const listed = typeof systems === 'function' ? systems(() => true) : systems
  return listed
    .filter(({ web }) => web !== undefined)
    .map(({ name, web }) => {
      const folder = fileURLToPath(web)
      const file = ['index.ts', 'index.js'].find((each) => existsSync(join(folder, each)))
      if (file === undefined) throw new Error(`${folder} has no index.ts or index.js`)
      return { system: name, file: join(folder, file) }
    })
}

/** What `virtual:contents` exports, and `pages.json`: the addresses at which the server serves the dashboard. */
function contents(webs) {
  return {
    name: 'contents',
    resolveId: (id) => (id === CONTENTS ? `\0${CONTENTS}` : undefined),
    load(id) {
      if (id !== `\0${CONTENTS}`) return undefined
      const imports = webs.map(({ file }, n) => `import { web as web${n} } from ${quote(file)}`)
      const list = webs.map(({ system }, n) => `{ system: ${quote(system)}, web: web${n} }`)
      // A system explains its codes in reference.md next to its pages' folder.
      const own = webs.map(({ file }) => join(dirname(dirname(file)), 'reference.md'))
      const pages = [errors, ...own.filter((page) => existsSync(page))]
      const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n')
      return [
        ...imports,
        `export const webs = [${list.join(', ')}]`,
        `export const errors = ${quote(text)}`,
      ].join('\n')
    },
    async generateBundle() {
      const own = readdirSync(join(here, 'src/pages'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
      const modules = await Promise.all(webs.map(({ file }) => import(pathToFileURL(file).href)))
      const added = modules.flatMap(({ web }) => web.pages.map(({ name }) => name))
      const source = JSON.stringify([...own, ...added].sort((one, other) => (one < other ? -1 : 1)))
      this.emitFile({ type: 'asset', fileName: 'pages.json', source })
    },
  }
}

function quote(text) {
  return JSON.stringify(text)
}

/** Builds into a folder, with compressed copies of what is worth it. */
async function buildDashboard({ config, folder }) {
  await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    plugins: [react(), contents(await findWebs(config))],
    // Pages of other packages use the same copies.
    resolve: { dedupe: ['react', 'react-dom'] },
    // The server says where the pages are: it may be below a path of another's.
    base: './',
    build: {
      outDir: resolve(folder),
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: ['index.html', 'portal.html'].map((name) => join(here, name)) },
    },
  })
  const assets = join(folder, 'assets')
  await Promise.all(readdirSync(assets).map((name) => compress(join(assets, name))))
}

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)

async function compress(file) {
  const content = readFileSync(file)
  if (content.length < 1_024) return
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  writeFileSync(`${file}.br`, await asBrotli(content, quality))
  writeFileSync(`${file}.gz`, await asGzip(content, { level: 9 }))
}

process.env.NODE_ENV = 'production'
const [config, folder = 'dashboard'] = process.argv.slice(2)
await buildDashboard({ config: config || undefined, folder })
