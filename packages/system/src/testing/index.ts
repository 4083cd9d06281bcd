export { haltAtCrashPoint, reachCommits } from './crash-points.ts'
export type { Reach } from './crash-points.ts'
export { peakMemoryMb } from './peak-memory.ts'
