import { createTcpProxy } from '@posthorn/engine/testing'
import type { LineAnswer, LineOrder, LineTarget } from './lines.ts'

/*
 * The network of a cluster, in a process of its own: what passes through it must not wait for what the
 * run does.
 */
const targets = JSON.parse(process.argv[2] ?? '[]') as LineTarget[]
const lines = await Promise.all(
  targets.map(({ port, at }) => createTcpProxy({ host: '127.0.0.1', port }, undefined, at)),
)
const answer = (said: LineAnswer) => process.send?.(said)

process.on('disconnect', () => process.exit(0))
process.on('message', ({ order, line, id }: LineOrder) => {
  const found = lines[line]
  const done = order === 'stall' ? found?.stall() : found?.heal()
  void Promise.resolve(done).then(() => answer({ id }))
})
answer({ id: 0, ports: lines.map(({ port }) => port) })
