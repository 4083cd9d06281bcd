import { sql, type Transaction } from '@posthorn/engine'

/** Who looks after an exception, until when, and what they found so far. */
export interface Assignment {
  readonly owner: string | null
  readonly note: string | null
  /** As `2026-11-30`. */
  readonly due_on: string | null
}

export async function upsertAssignment(
  tx: Transaction,
  place: { runId: string; line: number; by: string },
  { owner, note, due_on: dueOn }: Assignment,
): Promise<void> {
  await tx.query(sql`
    insert into payments.reconciliation_assignments (run_id, line_number, owner, note, due_on, set_by)
    values (${place.runId}, ${place.line}, ${owner}, ${note}, ${dueOn}::date, ${place.by})
    on conflict (run_id, line_number)
    do update set owner = excluded.owner, note = excluded.note, due_on = excluded.due_on,
                  set_by = excluded.set_by, set_at = posthorn.now()`)
}
