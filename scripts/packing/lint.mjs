import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/**
 * Packages are modules only, with sub-paths in `exports`: `require()` gets them as every Node that is
 * supported does it, and the resolution of Node 10, which knows no `exports`, is not served.
 */
const BY_DESIGN = new Set(['node10', 'CJSResolvesToESM'])

/** What publint and attw have to say against a packed package; nothing, if it can be published. */
export async function complaintsAbout(tarball) {
  const bytes = await readFile(tarball)
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball: data } })
  const aboutFiles = messages.map((message) => formatMessage(message, pkg, { color: false }))
  const { types, problems = [] } = await checkPackage(createPackageFromTarballData(bytes))
  const hasDoors = pkg.exports !== undefined
  const aboutTypes = [
    ...(hasDoors && types === false ? ['no types'] : []),
    ...problems.filter((problem) => hasDoors && !isByDesign(problem)).map(showProblem),
  ]
  return [...aboutFiles, ...aboutTypes].map((complaint) => `${basename(tarball)}: ${complaint}`)
}

function isByDesign({ kind, resolutionKind, resolutionOption }) {
  return [kind, resolutionKind, resolutionOption].some((word) => BY_DESIGN.has(word))
}

function showProblem({ kind, entrypoint, resolutionKind, fileName, typesFileName }) {
  const place = [entrypoint, resolutionKind, fileName ?? typesFileName].filter(Boolean).join(' ')
  return `${kind}: ${place}`
}
