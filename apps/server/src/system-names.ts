/** The systems that come with the server, in the order in which they are opened. */
export const SYSTEM_NAMES = [
  'orders',
  'messages',
  'payments',
  'evidence',
  'families',
  'incidents',
] as const
export type SystemName = (typeof SYSTEM_NAMES)[number]
