export { SpoolFile, sweepSpool } from './spool-file.ts'
