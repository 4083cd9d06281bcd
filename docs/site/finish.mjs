import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { BASE } from './pages.mjs'

/** Checks a built site and adds what its server needs: hashes of inline scripts, compressed files. */
export async function finish(folder) {
  const names = globSync('**/*.*', { cwd: folder })
  const html = names.filter((name) => name.endsWith('.html'))
  const pages = new Map()
  for (const name of html) pages.set(name, await readFile(join(folder, name), 'utf8'))
  const broken = findBrokenLinks(pages, new Set(names))
  if (broken.length > 0) throw new Error(`Links lead nowhere:\n${broken.join('\n')}`)
  // A wide table scrolls, and by the keyboard only if it can have the focus.
  for (const [name, text] of pages) {
    await writeFile(join(folder, name), text.replaceAll('<table>', '<table tabindex="0">'))
  }
  await writeFile(join(folder, 'scripts.txt'), `${hashScripts(pages.values()).join(' ')}\n`)
  for (const name of names.filter((each) => TEXT.test(each))) await compress(join(folder, name))
}

const TEXT = /\.(html|js|css|md|txt|svg|json|sql|yml)$/

/** Of every page: its links within the site that lead to no file, or to no element of their page. */
export function findBrokenLinks(pages, names) {
  const ids = new Map(
    [...pages].map(([name, text]) => [name, new Set(captures(text, / id="([^"]+)"/g))]),
  )
  const fileOf = (path) => (path === '' || path.endsWith('/') ? `${path}index.html` : path)
  const leads = (name, target) => {
    const { pathname, hash } = new URL(
      target,
      `http://site${BASE}/${name.replace(/index\.html$/, '')}`,
    )
    // The server's own page.
    if (pathname === `${BASE}/api`) return true
    if (!pathname.startsWith(`${BASE}/`)) return false
    const file = fileOf(decodeURIComponent(pathname.slice(BASE.length + 1)))
    if (!names.has(file)) return false
    const anchor = decodeURIComponent(hash.slice(1))
    return anchor === '' || !file.endsWith('.html') || ids.get(file).has(anchor)
  }
  return [...pages].flatMap(([name, text]) =>
    [...new Set(captures(text, /<[^>]* (?:href|src)="([^"]*)"/g))]
      .map((target) => target.replaceAll('&amp;', '&'))
      .filter((target) => !/^(https?|mailto|data):/.test(target) && !leads(name, target))
      .map((target) => `${name}: ${target}`),
  )
}

/** For the policy of the pages, which allows no other inline scripts. */
function hashScripts(texts) {
  const found = [...texts].flatMap((text) =>
    captures(text, /<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g),
  )
  const sha256 = (script) => createHash('sha256').update(script).digest('base64')
  return [...new Set(found.map((script) => `'sha256-${sha256(script)}'`))].toSorted()
}

async function compress(file) {
  const text = await readFile(file)
  if (text.length > 1000) await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }))
}

function captures(text, pattern) {
  return [...text.matchAll(pattern)].map(([, captured]) => captured)
}
