import { alerts } from './alerts/index.ts'
import { audit } from './audit/index.ts'
import { outboxes } from './outboxes/index.ts'
import { overview } from './overview/index.ts'
import type { Page } from './page.ts'
import { simulators } from './simulators/index.ts'

/** Every page, in the order of the navigation. */
export const pages: readonly Page[] = [overview, outboxes, alerts, audit, simulators]
