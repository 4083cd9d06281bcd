export {
  backOff,
  createBell,
  directionOf,
  Semaphore,
  sleep,
  storableJson,
} from '@posthorn/engine/internal'
export { readDestinationCharts } from '@posthorn/operate/internal'
export { Currency, exponentOf, MINOR_UNITS } from './currency.ts'
export { advance, DemoError, fail, mend, stepsWith } from './demo.ts'
export type { DemoApi, DemoChapter, DemoFault, DemoRequest, DemoStep, Stage } from './demo.ts'
export { createOneByOne } from './one-by-one.ts'
export { isPortalToken, makePortalToken, readPortalToken } from './portal-token.ts'
export {
  all,
  auditSource,
  count,
  first,
  listClockMoves,
  listIds,
  one,
  searchAudit,
  some,
} from './queries.ts'
export { madeAt, realTimeOf } from './real-time.ts'
export type { ClockMove } from './real-time.ts'
export { bigint, Id, nullable, NullableText, resource, time } from './resource.ts'
export type { RowOf, TTime } from './resource.ts'
export { createSealing, isSealed } from './sealing.ts'
export type { Sealing } from './sealing.ts'
export { amountsIn, amountText, uuidIn, uuidsIn } from './search-text.ts'
export { optionalText, readSettings, wholeNumber } from './settings.ts'
export type { SettingOptions, SettingsRead, SettingsSchema, SettingsSource } from './settings.ts'
export type { Receivers } from '@posthorn/simulators'
export { defineSystem, nameDestinationsBy, nameInDetails } from './system.ts'
export type {
  AuditSearch,
  AuditSource,
  DestinationNames,
  EventDelivery,
  FindDeliveries,
  Follow,
  Followed,
  Found,
  Host,
  Measure,
  NameDestinations,
  Notify,
  OpenSystem,
  OrgEvent,
  Search,
  Sought,
  Stop,
  System,
  SystemAuditEntry,
  SystemConsumer,
  SystemQueue,
} from './system.ts'
