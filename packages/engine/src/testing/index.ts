export { testDatabase } from './database.ts'
export type { TestDatabase } from './database.ts'
export { withBroker } from './broker.ts'
export { transportConformance } from './transport-conformance.ts'
