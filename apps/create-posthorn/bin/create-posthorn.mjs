#!/usr/bin/env node
// Plain JavaScript that any Node from 18 on can read, so that one too old says so itself.
const NEEDED = 24
const major = Number(process.versions.node.split('.')[0])

if (major < NEEDED) {
  console.error(`create-posthorn needs Node ${NEEDED} or newer; this is ${process.versions.node}.`)
  process.exitCode = 1
} else {
  const { main } = await import('../src/main.ts')
  await main(process)
}
