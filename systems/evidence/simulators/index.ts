export { documents } from './documents/index.ts'
