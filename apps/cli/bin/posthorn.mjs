#!/usr/bin/env node
// Plain JavaScript that any Node from 18 on can read, so that one too old says so itself.
const NEEDED = 24
const major = Number(process.versions.node.split('.')[0])

if (major < NEEDED) {
  console.error(
    `posthorn needs Node ${NEEDED} or newer; this is ${process.versions.node}.\n` +
      'In the repository `npx posthorn` finds the one that `npm install` brought along.',
  )
  process.exitCode = 1
} else {
  // Sources that were read once are compiled already the next time: a third less until the first word.
  // Not every runtime has it: Deno keeps a cache of its own.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache?.()
  const { main } = await import('../src/main.ts')
  await main(process)
}
