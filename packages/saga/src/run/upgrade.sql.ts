import { sql, type Transaction } from '@posthorn/engine'
import type { Fork } from '../define/step.ts'
import type { Instance, StepRecord } from './instance.ts'

/** A step's record under the new version; `from` is its position under the old one, null for a new record. */
export interface UpgradedRecord extends StepRecord {
  readonly name: string
  readonly from: number | null
}

export interface PlannedUpgrade {
  readonly version: number
  readonly stepNames: readonly string[]
  readonly forks: readonly Fork[] | undefined
  readonly input: object
  readonly position: number
  readonly records: readonly UpgradedRecord[]
}

/** Writes an upgrade if the saga still is where it was planned, with its trace in the audit. */
export async function writeUpgrade(
  tx: Transaction,
  instance: Instance,
  upgrade: PlannedUpgrade,
): Promise<boolean> {
  const { rows } = await tx.query(sql`
    with upgraded as (
      update sagas.saga
         set version = ${upgrade.version}, step_names = ${upgrade.stepNames},
             forks = ${upgrade.forks ? JSON.stringify(upgrade.forks) : null}::jsonb,
             input = ${JSON.stringify(upgrade.input)}::jsonb, position = ${upgrade.position},
             moves = moves + 1, updated_at = now()
       where id = ${instance.id} and turn = ${instance.turn} and moves = ${instance.moves}
         and version = ${instance.version} and status = ${instance.status}
      returning id, name, tenant
    ), noted as (
      insert into posthorn.operation (operation, outbox, subject, tenant, actor, reason)
      select 'upgrade saga', 'sagas.turns', id::text, tenant, 'ORCHESTRATOR',
             format('%s v%s is now v%s', name, ${instance.version}::integer, ${upgrade.version}::integer)
        from upgraded
    )
    select from upgraded`)
  if (rows.length === 0) return false
  await moveRecords(tx, instance.id, upgrade.records)
  return true
}

/** Positions change places: the records that stay are set aside under negative ones first. */
async function moveRecords(
  tx: Transaction,
  id: string,
  records: readonly UpgradedRecord[],
): Promise<void> {
  const kept = records.flatMap(({ from }) => from ?? [])
  await tx.query(sql`
    delete from sagas.saga_step where saga_id = ${id} and position <> all(${kept}::integer[])`)
  await tx.query(sql`
    update sagas.saga_step set position = -1 - position where saga_id = ${id}`)
  const rows = records.map(({ output, ...record }) => ({
    ...record,
    output: output ? JSON.stringify(output) : undefined,
  }))
  await tx.query(sql`
    with record as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r
             ("from" integer, position integer, name text, status text, output text, attempts integer)
    ), added as (
      insert into sagas.saga_step (saga_id, position, name, status, output, attempts)
      select ${id}::uuid, position, name, status, output::jsonb, attempts from record where "from" is null
    )
    update sagas.saga_step as t
       set position = r.position, name = r.name, status = r.status, output = r.output::jsonb
      from record as r
     where t.saga_id = ${id} and t.position = -1 - r."from"`)
}
