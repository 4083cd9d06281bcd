import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, runProgram } from '../command.mjs'

/**
 * Compiles what can be reached from the packages' doors, and so no tests, into `<to>/<folder>/src`,
 * each module as JavaScript with its declarations. One run for all: where a package imports
 * another, the compiler follows the link to its sources.
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
      rootDir: join(root, 'packages'),
      outDir: to,
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [],
    files: packages.flatMap(({ folder, doors }) =>
      doors.map(([, source]) => join(root, 'packages', folder, source)),
    ),
  }
}
