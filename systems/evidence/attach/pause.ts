import { DeliveryError, transaction, type Log } from '@posthorn/engine'
import { raiseAlert, recoverAlert } from '@posthorn/operate'
import type { Pool } from 'pg'

/** The worker stands still because the document API does not let it in. Thrown, so that nothing is charged. */
export class WorkerPaused extends DeliveryError {
  constructor() {
    const why = 'the evidence worker is paused: the document API refuses our credentials'
    super('WORKER_PAUSED', why, { unreachable: true })
    this.name = 'WorkerPaused'
  }
}

/** Whether calls make sense. */
export interface Pause {
  /** Throws while the worker is paused, except for one call now and then that tries again. */
  check(): void
  /** The API did not let us in. */
  shut(status: number): Promise<void>
  /** It did. */
  open(): Promise<void>
}

const ALERT = { source: 'evidence.worker', subject: 'document-api' }

export function createPause({
  pool,
  log,
  probeMs,
}: {
  readonly pool: Pool
  readonly log: Log
  /** Between two calls that try again. */
  readonly probeMs: number
}): Pause {
  let until: number | undefined
  return {
    check() {
      if (until === undefined) return
      if (performance.now() < until) throw new WorkerPaused()
      until = performance.now() + probeMs
    },
    async shut(status) {
      const isNew = until === undefined
      until = performance.now() + probeMs
      if (!isNew) return
      const detail = `The document API answered ${status}: the evidence worker waits until it is let in.`
      log.error({ status }, detail)
      await transaction(pool, (tx) =>
        raiseAlert(tx, { ...ALERT, code: 'DOCUMENTS_UNAUTHORISED', detail }),
      )
    },
    async open() {
      if (until === undefined) return
      until = undefined
      log.info({}, 'document API accepts the credentials again; attaching continues')
      await transaction(pool, (tx) => recoverAlert(tx, ALERT))
    },
  }
}
