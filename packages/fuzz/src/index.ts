export { fuzzGraphql } from './query-generator.ts'
export { fuzzParser, inPieces, json, readAll, type Parser } from './fuzzer.ts'
export { sharedParsers } from './shared-parsers.ts'
