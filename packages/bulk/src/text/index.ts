export { LineTooLong, readLines } from './text-decoder.ts'
export type { TextLine } from './text-decoder.ts'
