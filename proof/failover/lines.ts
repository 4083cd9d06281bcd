import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A way to a server that can be cut. */
export interface Line {
  readonly port: number
  /** Keeps all connections, takes new ones, and lets nothing through. */
  stall(): Promise<void>
  heal(): Promise<void>
}

export interface LineOrder {
  readonly order: 'stall' | 'heal'
  readonly line: number
  readonly id: number
}

export interface LineAnswer {
  readonly id: number
  readonly ports?: readonly number[]
}

/** Where a line leads, and where it begins: by default at a port of the loopback that is free. */
export interface LineTarget {
  readonly port: number
  readonly at?: { readonly host: string; readonly port: number }
}

/** A line to each of the ports. */
export async function openLines(
  targets: readonly LineTarget[],
): Promise<{ lines: readonly Line[]; close(): void }> {
  const child = fork(new URL('lines-process.ts', import.meta.url), [JSON.stringify(targets)])
  // Orders under way are never answered when it is closed: no listener may be left over.
  child.setMaxListeners(0)
  const [{ ports = [] }] = (await once(child, 'message')) as [LineAnswer]
  let orders = 0
  const give = (order: LineOrder['order'], line: number) =>
    new Promise<void>((resolve) => {
      const id = ++orders
      const listen = (answer: LineAnswer) => {
        if (answer.id !== id) return
        child.off('message', listen)
        resolve()
      }
      child.on('message', listen)
      child.send({ order, line, id } satisfies LineOrder)
    })
  return {
    lines: ports.map((port, at) => ({
      port,
      stall: () => give('stall', at),
      heal: () => give('heal', at),
    })),
    close: () => child.disconnect(),
  }
}
