export { fuzzGraphql } from './graphql.ts'
export { fuzzParser, inPieces, json, readAll, type Parser } from './fuzzer.ts'
export { sharedParsers } from './shared-parsers.ts'
