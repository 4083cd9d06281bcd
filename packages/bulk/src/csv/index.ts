export { detectCsv, type CsvStyle } from './detect.ts'
export {
  readCsv,
  writeCsvRow,
  type CsvCell,
  type CsvOptions,
  type CsvRowOptions,
} from './reader.ts'
export { CsvError, type CsvErrorCode, type CsvPlace, type CsvRow } from './row-scanner.ts'
export type { TextEncoding as CsvEncoding } from '../text/text-decoder.ts'
