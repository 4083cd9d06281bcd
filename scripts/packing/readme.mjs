import { readFileSync } from 'node:fs'

const PAGES = 'https://www.npmjs.com/package'

/** What npm shows of a package: what it is for, how to get it, an example, what can be imported. */
export function readmeOf(manifest) {
  const { name, description, engines, exports = {}, peerDependencies = {}, license } = manifest
  // A test compiles those in TypeScript.
  const example = new URL(`examples/${name.replace('@posthorn/', '')}.md`, import.meta.url)
  const doors = Object.keys(exports).map((door) => `- \`${name}${door.slice(1)}\``)
  const peers = Object.entries(peerDependencies).map(([peer, range]) => `- \`${peer}\` ${range}`)
  return [
    `# ${name}`,
    description,
    // What npm itself runs is not installed first.
    ...(name.startsWith('create-') ? [] : [`\`\`\`sh\nnpm install ${name}\n\`\`\``]),
    readFileSync(example, 'utf8').trim(),
    `Node ${engines.node}${doors.length > 0 ? '; modules with their types:' : '.'}`,
    ...(doors.length > 0 ? [doors.join('\n')] : []),
    ...(peers.length > 0 ? ['Optional, for the modules that use them:', peers.join('\n')] : []),
    `${whereNext(manifest)} ${license} licence.\n`,
  ].join('\n\n')
}

/** The guide at the version that the package has, once it is known where the sources are. */
function whereNext({ name, version, repository }) {
  const project = (url) => `Part of [Posthorn](${url}): reliable messages for PostgreSQL.`
  const home = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/.exec(repository?.url ?? '')?.[1]
  if (home) {
    const docs = `${home}/blob/v${version}/docs`
    const start = `[Start with the guide](${docs}/guide/quick-start.md)`
    return `${project(home)} ${start}, or see [all of the documentation](${docs}/README.md).`
  }
  if (name !== '@posthorn/engine') return project(`${PAGES}/@posthorn/engine`)
  return `[A service to start with](${PAGES}/create-posthorn): \`npm create posthorn\`.`
}
