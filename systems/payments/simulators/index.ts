export { merchant } from './merchant/index.ts'
