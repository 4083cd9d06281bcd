import { outbox } from '@posthorn/engine'

/** What the system has to do at a time that it knows, in its own database. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface is no object of any names
export type Tasks = {
  /** Its time to be decided is over. */
  'proposal.expire': { readonly id: string }
  /**
   * An event and the answer with the reference that it names may commit at the same moment, and do not see
   * each other: it is looked at once more.
   */
  'event.adopt': { readonly id: string }
}

export const tasks = outbox<Tasks>('payments.tasks', {
  retention: { after: '1d', archive: '0d' },
})
