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
const ERRORS = 'virtual:errors'

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

/** `virtual:contents`, `virtual:errors`, and `pages.json`: the addresses at which the server serves the dashboard. */
function contents(webs) {
  return {
    name: 'contents',
    resolveId: (id) => ([CONTENTS, ERRORS].includes(id) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${ERRORS}`) return `export const errors = ${quote(errorsOf(webs))}`
      if (id !== `\0${CONTENTS}`) return undefined
      const imports = webs.map(({ file }, n) => `import { web as web${n} } from ${quote(file)}`)
      const list = webs.map(({ system }, n) => `{ system: ${quote(system)}, web: web${n} }`)
      return [...imports, `export const webs = [${list.join(', ')}]`].join('\n')
    },
    async generateBundle(_, bundle) {
      const own = join(here, 'src/pages/index.ts')
      const load = async (file) => ({ file, module: await import(pathToFileURL(file).href) })
      const modules = await Promise.all([own, ...webs.map(({ file }) => file)].map(load))
      const pages = modules.flatMap(({ file, module: { operatorPages, web } }) =>
        (operatorPages ?? web.pages).map(({ name, views }) => [
          name,
          scriptsOf(join(dirname(file), importedBy(views[''])), bundle),
        ]),
      )
      pages.sort(([one], [other]) => (one < other ? -1 : 1))
      const source = JSON.stringify(Object.fromEntries(pages))
      this.emitFile({ type: 'asset', fileName: 'pages.json', source })
    },
    // The frame of the page stands before its styles, so that it is painted without them.
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const styles = html.match(/^ *<link rel="stylesheet".*\n/gm) ?? []
        const rest = styles.reduce((page, style) => page.replace(style, ''), html)
        return rest.replace(/^ *<!-- styles -->\n/m, styles.join(''))
      },
    },
  }
}

/** The module that a view is in: `() => import('./overview/overview.tsx').then(…)`. */
function importedBy(view) {
  return /import\(['"`](.+?)['"`]\)/.exec(String(view))?.[1] ?? ''
}

/** The script of a view and those that it imports, as names in `assets`. */
function scriptsOf(module, bundle) {
  const chunk = Object.values(bundle).find(({ facadeModuleId }) => facadeModuleId === module)
  return chunk === undefined
    ? []
    : [chunk.fileName, ...chunk.imports].map((file) => file.replace(/^assets\//, ''))
}

/** The tables of codes; a system explains its own in reference.md next to its pages' folder. */
function errorsOf(webs) {
  const own = webs.map(({ file }) => join(dirname(dirname(file)), 'reference.md'))
  const pages = [errors, ...own.filter((page) => existsSync(page))]
  const lines = pages.flatMap((page) => readFileSync(page, 'utf8').split('\n'))
  return lines.filter((line) => /^(\| `|#)/.test(line)).join('\n')
}

function quote(text) {
  return JSON.stringify(text)
}

/**
 * Few files, since each costs a turn on a slow line: what is there before any page, what charts need,
 * and what several pages share. The rest is a file for each page.
 */
const CHUNKS = [
  { name: 'app', test: /dashboard[\\/]src[\\/](?:app|router)\.tsx$/, priority: 3 },
  { name: 'charts', test: /[\\/]uplot[\\/]|dashboard[\\/]src[\\/]charts[\\/]/, priority: 2 },
  { name: 'parts', test: /node_modules|dashboard[\\/]src[\\/]/, minShareCount: 3, priority: 1 },
]

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
      rolldownOptions: {
        input: ['index.html', 'portal.html'].map((name) => join(here, name)),
        output: { codeSplitting: { groups: CHUNKS } },
      },
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
