export { CopyBuffer } from './copy-buffer.ts'
export { NULL_CELL, copyCell } from './copy-cell.ts'
export { copyInto } from './copy-into.ts'
