import { openLines, type Line, type LineTarget } from './lines.ts'

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
