import { constants } from 'node:fs'
import { access, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fetchedPackages } from '../archives.mjs'
import { run } from '../process.mjs'
import { readConfig } from '../lifecycle.mjs'

/**
 * The path of a Chromium that runs headless: the one that CHROMIUM_PATH names, an installed one, or
 * one from Debian's packages, unpacked and not installed, with its libraries and fonts. apt checks
 * the packages' signatures. The headless shell takes a twelfth less processor time. Throws with what is needed if none can be had.
 */
export async function ensureChromium({ log = console.error } = {}) {
  const given = process.env.CHROMIUM_PATH
  if (given) return usable(given)
  const installed = await onPath(['chromium-headless-shell', 'chromium', 'google-chrome'])
  if (installed !== undefined) return installed
  try {
    return await fetchChromium(log)
  } catch (error) {
    throw new Error(
      `chromium: ${error.message}\n` +
        'The browser needs a Debian with its package archive in reach.\n' +
        'Or install one yourself and set CHROMIUM_PATH to its executable.',
      { cause: error },
    )
  }
}

async function usable(path) {
  if (await isExecutable(path)) return path
  throw new Error(`chromium: CHROMIUM_PATH=${path} cannot be run.\nCorrect it, or unset it.`)
}

async function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isExecutable(path)) return path
  }
  return undefined
}

function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

async function fetchChromium(log) {
  const finish = async (folder) => {
    for (const unused of UNUSED) await rm(join(folder, unused), { recursive: true, force: true })
    await writeFile(join(folder, 'fonts.conf'), readConfig('fonts.conf'))
    const program = join(folder, PROGRAM)
    await writeFile(program, readConfig('chromium.sh'), { mode: 0o755 })
    // A library that is missing shows here, and not in some test.
    await run(program, ['--headless', '--no-sandbox', '--dump-dom', 'data:text/html,ready'])
  }
  const packages = ['chromium-headless-shell', 'fonts-liberation', 'fonts-dejavu-core']
  const own = ['chromium', 'fonts-liberation', 'fonts-dejavu']
  const home = await fetchedPackages('chromium-headless-shell', { packages, own, log, finish })
  return join(home, PROGRAM)
}

const PROGRAM = 'posthorn-chromium'

/** What a headless browser never opens. */
const UNUSED = [
  'usr/share/doc',
  'usr/share/icons',
  'usr/share/locale',
  'usr/share/man',
  'usr/lib/chromium/libVkLayer_khronos_validation.so',
]
