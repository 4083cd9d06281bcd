export { LineTooLong, readLines } from './lines.ts'
export type { TextLine } from './lines.ts'
