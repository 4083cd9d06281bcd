import { Type } from 'typebox'
import { uploadSettings } from './upload/settings.ts'

/** What reconciliation reads from the environment. */
export const reconciliationSettings = {
  ...uploadSettings,
  RECONCILIATION_MEMORY_MB: Type.Integer({
    description:
      'megabytes that Postgres may use for each sort or join of a run before it uses its disk, from 4 to 2048',
    minimum: 4,
    maximum: 2_048,
    default: 64,
  }),
}
