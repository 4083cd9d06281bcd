import type { Line } from '../kit/ledger.ts'
import type { Usage } from '../kit/processes/child.ts'

export interface Sample {
  readonly minute: number
  /** By the name of the process. */
  readonly usages: ReadonlyMap<string, Usage>
  readonly databaseBytes: number
}

const MEGABYTE = 1024 * 1024

/** Until caches, pools and compiled code are what they will be. */
const WARM_UP = 1 / 6

/** What a process may grow by in an hour: less than what one lost message in a hundred would leave. */
const MORE_HEAP = 8
const MORE_RESIDENT = 48
const MORE_FILES = 20

/** Growth of each process after its warm-up, by a straight line through all samples. */
export function growthLines(samples: readonly Sample[]): Line[] {
  const last = samples.at(-1)
  if (!last) return []
  const warm = samples.filter(({ minute }) => minute >= last.minute * WARM_UP)
  return [...last.usages.keys()].flatMap((name) => {
    const grow = (of: (usage: Usage) => number) => {
      const points = warm.flatMap(({ minute, usages }) => {
        const usage = usages.get(name)
        return usage ? [[minute, of(usage)] as const] : []
      })
      return Math.round(slope(points) * 60 * 10) / 10
    }
    const heap = ({ heapBytes }: Usage) => heapBytes / MEGABYTE
    const resident = ({ residentBytes }: Usage) => residentBytes / MEGABYTE
    const at = (of: (usage: Usage) => number) => {
      const usage = last.usages.get(name)
      return usage ? Math.round(of(usage)) : 0
    }
    return [
      { name: `${name}: heap at the end, MB`, value: at(heap) },
      { name: `${name}: heap, MB an hour more`, value: grow(heap), atMost: MORE_HEAP },
      { name: `${name}: resident at the end, MB`, value: at(resident) },
      { name: `${name}: resident, MB an hour more`, value: grow(resident), atMost: MORE_RESIDENT },
      {
        name: `${name}: open files, an hour more`,
        value: grow(({ openFiles }) => openFiles),
        atMost: MORE_FILES,
      },
      {
        name: `${name}: handles and requests, an hour more`,
        value: grow(({ resources }) => resources),
        atMost: MORE_FILES,
      },
    ]
  })
}

/** Least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point[0]), mean((point) => point[1])]
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  const below = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
  return below === 0 ? 0 : above / below
}
