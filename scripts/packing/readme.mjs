/** What npm shows of a package: what it is for, how to get it, what can be imported. */
export function readmeOf({ name, description, engines, exports, peerDependencies = {}, license }) {
  const doors = Object.keys(exports).map((door) => `- \`${name}${door.slice(1)}\``)
  const peers = Object.entries(peerDependencies).map(([peer, range]) => `- \`${peer}\` ${range}`)
  return [
    `# ${name}`,
    description,
    `\`\`\`sh\nnpm install ${name}\n\`\`\``,
    `Node ${engines.node}; modules with their types:`,
    doors.join('\n'),
    ...(peers.length > 0 ? ['Optional, for the modules that use them:', peers.join('\n')] : []),
    `Part of Posthorn: reliable messages for PostgreSQL. ${license} licence.\n`,
  ].join('\n\n')
}
