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

/** The network between the nodes of a cluster: a line from each to each other, for every port. */
export interface Mesh {
  /** Where `from` finds a port of `to`. */
  port(from: number, to: number, realPort: number): number
  /** Nothing passes any more between a node and the others, in both directions. */
  cutOff(place: number): Promise<void>
  heal(): Promise<void>
  close(): void
}

export interface MeshOptions {
  /** By node: the ports that the others reach it by. */
  readonly ports: readonly (readonly number[])[]
  /** Where a line begins, if its port must be the real one: an address of its own. */
  at?(from: number, to: number): string
}

interface Way {
  readonly from: number
  readonly to: number
  readonly port: number
}

export async function openMesh({ ports, at }: MeshOptions): Promise<Mesh> {
  const ways = ports.flatMap((_, from) =>
    ports.flatMap((own, to): Way[] => (from === to ? [] : own.map((port) => ({ from, to, port })))),
  )
  const targets = ways.map(({ from, to, port }): LineTarget => {
    return { port, ...(at && { at: { host: at(from, to), port } }) }
  })
  const { lines, close } = await openLines(targets)
  const each = async (isMeant: (way: Way) => boolean, give: (line: Line) => Promise<void>) => {
    await Promise.all(lines.filter((_, i) => isMeant(ways[i] as Way)).map(give))
  }
  return {
    port: (from, to, realPort) => {
      const i = ways.findIndex((way) => way.from === from && way.to === to && way.port === realPort)
      return lines[i]?.port ?? realPort
    },
    cutOff: (place) =>
      each(
        ({ from, to }) => from === place || to === place,
        (line) => line.stall(),
      ),
    heal: () =>
      each(
        () => true,
        (line) => line.heal(),
      ),
    close,
  }
}
