import { writeFile } from 'node:fs/promises'
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
