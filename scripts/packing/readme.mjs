import { EXAMPLES } from './examples.mjs'

/** Where readers of one package find the guide and the others. */
const START = 'https://www.npmjs.com/package/@posthorn/engine'

/** What npm shows of a package: what it is for, how to get it, an example, what can be imported. */
export function readmeOf(manifest) {
  const { name, description, engines, exports = {}, peerDependencies = {}, license } = manifest
  const { language, text } = EXAMPLES[name]
  const doors = Object.keys(exports).map((door) => `- \`${name}${door.slice(1)}\``)
  const peers = Object.entries(peerDependencies).map(([peer, range]) => `- \`${peer}\` ${range}`)
  return [
    `# ${name}`,
    description,
    `\`\`\`sh\nnpm install ${name}\n\`\`\``,
    `\`\`\`${language}\n${text.trim()}\n\`\`\``,
    `Node ${engines.node}${doors.length > 0 ? '; modules with their types:' : '.'}`,
    ...(doors.length > 0 ? [doors.join('\n')] : []),
    ...(peers.length > 0 ? ['Optional, for the modules that use them:', peers.join('\n')] : []),
    `Part of [Posthorn](${START}): reliable messages for PostgreSQL. ${license} licence.\n`,
  ].join('\n\n')
}
