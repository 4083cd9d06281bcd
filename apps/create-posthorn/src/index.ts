export { DESTINATIONS, ORMS, type ServiceOptions } from './choice.ts'
export { makeService, type Made } from './make-service.ts'
