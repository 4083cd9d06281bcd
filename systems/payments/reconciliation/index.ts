import type { App } from '@posthorn/http'
import type { Static, TObject } from 'typebox'
import { wholeNumber, type Host } from '@posthorn/system'
import type { FourEyes } from '../approvals/proposal.ts'
import { decisionRoutes } from './decisions/routes.ts'
import { discardRoutes } from './decisions/discard.ts'
import { exceptionRoutes } from './exceptions/routes.ts'
import { exportRoutes } from './exports/export.ts'
import { profileRoutes } from './profiles/routes.ts'
import { recordRoutes } from './records/routes.ts'
import { runRoutes } from './runs/routes.ts'
import { suggestionRoutes } from './suggestions/routes.ts'
import { uploadRoutes, uploadSettings } from './upload/routes.ts'

/** What reconciliation reads from the environment. */
export const reconciliationSettings = {
  ...uploadSettings,
  RECONCILIATION_MEMORY_MB: wholeNumber(
    'megabytes of memory for each sort or join of a run in Postgres, 4 to 2048',
    [4, 2_048, 64],
  ),
}

type Settings = Static<TObject<typeof reconciliationSettings>>

/** Adds what members of an organisation do with a bank's file: upload, run, decide, export. */
export async function reconciliationRoutes(
  app: App,
  { pool, settings, fourEyes }: Pick<Host<Settings>, 'pool' | 'settings'> & { fourEyes: FourEyes },
): Promise<void> {
  await uploadRoutes(app, { pool, settings })
  profileRoutes(app, { pool })
  runRoutes(app, { pool, memoryMb: settings.RECONCILIATION_MEMORY_MB })
  recordRoutes(app, pool)
  discardRoutes(app, { pool, fourEyes })
  decisionRoutes(app, { pool, fourEyes })
  suggestionRoutes(app, { pool, fourEyes })
  exceptionRoutes(app, pool)
  exportRoutes(app, pool)
}
