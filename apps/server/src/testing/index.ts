export { plainSecret, SEEDED_ID, secretWord } from './contribution.ts'
export type {
  Answer,
  Body,
  ForeignWorld,
  GivenSecret,
  Naming,
  Operator,
  Secrets,
  SecretServer,
  ServerTests,
  Things,
} from './contribution.ts'
export { greetings } from './greetings/index.ts'
export { letterSystem } from './letters.ts'
export { call, startProcess } from './server-process.ts'
export { testServer } from './test-server.ts'
export { welcome } from '../welcome.ts'
