/** The oldest Node that every package runs on. Their `package.json` says the same. */
const NEEDED = [22, 22] as const

/** What to tell the user of an older Node; undefined where it is new enough. */
export function objectionToNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])
  return isOld ? `Posthorn needs Node ${NEEDED.join('.')} or newer; this is ${version}.` : undefined
}

/** Throws on an older Node. Bun and Deno name a version of Node, too, which says nothing of what they have. */
export function refuseOldNode(versions: NodeJS.ProcessVersions): void {
  if ('bun' in versions || 'deno' in versions) return
  const objection = objectionToNode(versions.node)
  if (objection !== undefined) throw new Error(objection)
}
