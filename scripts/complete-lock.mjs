// Adds to package-lock.json the optional packages of other platforms that npm left out because the
// registry it spoke to does not show them. Without them `npm ci` refuses the lock file, and on
// those platforms npm would not install them. To be run after packages were added, also for another
// lock file: node scripts/complete-lock.mjs docs/site/package-lock.json

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { resolve } from './packing/runtime-packages.mjs'

const [, , file = fileURLToPath(new URL('../package-lock.json', import.meta.url))] = process.argv
const lock = JSON.parse(readFileSync(file, 'utf8'))
const { packages } = lock
let added = 0

for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    if (resolve(lock, path, name)) continue
    const version = range.replace(/^[\^~]/, '')
    packages[`node_modules/${name}`] = { version, ...(dev && { dev }), ...platform(name) }
    added += 1
  }
}

const byPath = ([one], [other]) => (one < other ? -1 : 1)
lock.packages = Object.fromEntries(Object.entries(packages).sort(byPath))
if (added > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${added} added to ${file}`)

/** Such packages say in their name where they run. */
function platform(name) {
  const parts = name.split(/[/-]/)
  const os = parts.find((part) =>
    /^(aix|android|darwin|(free|net|open)bsd|linux|openharmony|sunos|win32|windows)$/.test(part),
  )
  const cpu = parts.find((part) =>
    /^(arm|arm64|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64)$/.test(part),
  )
  const libc = /musl/.test(name) ? 'musl' : /gnu/.test(name) ? 'glibc' : undefined
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(libc && { libc: [libc] }),
    optional: true,
    ...(os && { os: [os === 'windows' ? 'win32' : os] }),
  }
}
