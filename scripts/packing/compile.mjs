import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, runProgram } from '../command.mjs'

/**
 * Compiles what can be reached from the packages' doors, and so no tests, into `<to>/<sources>`, each
 * module as JavaScript with its declarations. One run for all.
 */
export async function compile(packages, { to, signal }) {
  const config = join(to, 'tsconfig.json')
  await writeFile(config, JSON.stringify(configOf(packages, to)))
  const tsc = 'node_modules/typescript/bin/tsc'
  const { status, output } = await runProgram(tsc, ['-p', config], { signal })
  if (status !== 0) throw new Error(output || 'The compiler was stopped.')
}

function configOf(packages, to) {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      rootDir: root,
      outDir: to,
      typeRoots: [join(root, 'node_modules/@types')],
      paths: pathsOf(packages),
    },
    include: [],
    files: packages.flatMap(({ folder, doors, programs }) =>
      [...doors.map(([, source]) => source), ...programs].map((file) => join(root, folder, file)),
    ),
  }
}

/**
 * Where a package imports another, the compiler is sent to its sources. Through the link in
 * node_modules it takes a module for a library's and writes nothing, if it meets it there first.
 */
function pathsOf(packages) {
  const doors = packages.flatMap(({ folder, manifest, doors: each }) =>
    each.map(([door, source]) => [
      `${manifest.name}${door.slice(1)}`,
      [join(root, folder, source)],
    ]),
  )
  return Object.fromEntries(doors)
}

/** One folder below `dist`, as `migrations` is: a module in it finds them as `../migrations/`. */
const SHARED = 'shared'

/**
 * Puts the modules of a package together, in place: a file for each door, and beside them what doors share,
 * so that there is still one of each module. Node needs up to half a millisecond for a file that it
 * imports, and the engine has 141 behind its main door. Declarations stay as they are.
 */
export async function bundle(dist, doors) {
  // A fresh clone has been installed by now, and had not when this module was loaded.
  const { rolldown } = await import('rolldown')
  const names = doors.map(([, source]) => source.replace(/^\.\/(src\/)?/, '').replace(/\.ts$/, ''))
  const input = Object.fromEntries(names.map((name) => [name, join(dist, `${name}.js`)]))
  // From `dist`, or the comments in the files would name a folder that is another one every time.
  const build = await rolldown({ cwd: dist, input, external: /^[^./]/, platform: 'node' })
  const { output } = await build.generate({
    format: 'esm',
    // Errors are called as their classes.
    keepNames: true,
    // Editors read the declarations, which keep them; Node reads every byte of these at each start.
    comments: { jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: `${SHARED}/[name]-[hash].js`,
  })
  await build.close()
  for (const file of await readdir(dist, { recursive: true })) {
    if (file.endsWith('.js')) await rm(join(dist, file))
  }
  await mkdir(join(dist, SHARED), { recursive: true })
  for (const { fileName, code } of output) {
    if (code.includes('import.meta') && !fileName.startsWith(`${SHARED}/`)) {
      throw new Error(`${fileName} reads files that are beside it in the sources, and not here.`)
    }
    await writeFile(join(dist, fileName), code)
  }
}
