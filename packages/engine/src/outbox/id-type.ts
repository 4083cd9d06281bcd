/** Types that an outbox's id column may have. */
export type IdType = 'uuid' | 'bigint' | 'text'

/** Whether a column of that type can hold the id: asking Postgres for another would be an error. */
export function isId(id: string, idType: IdType): boolean {
  if (idType === 'text') return !id.includes('\0')
  if (idType === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  return /^-?\d{1,19}$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)
}
