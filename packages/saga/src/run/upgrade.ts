import { transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import { doubtfulHeads } from './decide.ts'
import { SagaError } from '../errors.ts'
import { unitAt } from '../define/step.ts'
import { recordAt, type Instance, type StepRecord } from './instance.ts'
import type { AnySaga, UpgradedInstance } from '../define/saga.ts'
import { writeUpgrade, type UpgradedRecord } from './upgrade.sql.ts'
import { NOTHING } from './move.ts'
import { isPassed, isUndone, lastToUndo, mustBeUndone } from './undo.ts'

/**
 * Upgrades an instance, in one transaction with its trace in the audit; false if another process
 * moved it meanwhile. What is done, or may be, must be known to the new version, which undoes it if
 * need be: otherwise it throws `SAGA_UPGRADE_REFUSED` and the instance stays as it is.
 */
export async function upgradeInstance(
  pool: Pool,
  instance: Instance,
  { saga, isDoubtful }: { saga: AnySaga; isDoubtful: boolean },
): Promise<boolean> {
  const planned = planUpgrade(instance, { saga, isDoubtful })
  return transaction(pool, (tx) => writeUpgrade(tx, instance, planned))
}

export function planUpgrade(
  instance: Instance,
  { saga, isDoubtful }: { saga: AnySaga; isDoubtful: boolean },
) {
  const found = upgradedBy(saga, instance)
  const known = withDoubt(instance, isDoubtful).map((record) => {
    const name = instance.step_names[record.position] ?? ''
    const renamed = found.renamed?.[name]
    const to = renamed === null ? -1 : indexOf(saga, renamed ?? name)
    if (to < 0 && renamed !== null && mustBeUndone(record)) {
      throw refused(saga, instance, `has no step for ${name}, which may have to be undone`)
    }
    return { ...record, from: record.position, position: to }
  })
  const kept = known.filter(({ position }) => position >= 0)
  if (new Set(kept.map(({ position }) => position)).size < kept.length) {
    throw refused(saga, instance, 'makes two steps one')
  }
  const records = kept.map((record): UpgradedRecord => {
    const name = saga.steps[record.position]?.name ?? ''
    const { from, output, ...rest } = record
    const isNew = recordAt(instance, from) === undefined
    return { ...rest, name, from: isNew ? null : from, output: found.outputs?.[name] ?? output }
  })
  const position = positionOf(saga, { instance, records, at: found.step })
  const skipped = instance.status === 'RUNNING' ? skippedBefore(position, { saga, records }) : []
  return {
    version: saga.version,
    stepNames: saga.steps.map(({ name }) => name),
    forks: saga.forks.length > 0 ? saga.forks : undefined,
    input: found.input ?? instance.input,
    position,
    records: [...records, ...skipped],
  }
}

function upgradedBy(saga: AnySaga, instance: Instance): UpgradedInstance {
  const { id, version, input, step_names: names, position } = instance
  const done = instance.records.filter(({ status, output }) => status === 'COMPLETED' && output)
  const outputs = Object.fromEntries(done.map((each) => [names[each.position], each.output]))
  try {
    const found = saga.upgrades[version]?.({ id, version, input, step: names[position], outputs })
    return found ?? {}
  } catch (cause) {
    throw refused(saga, instance, `failed: ${String(cause)}`)
  }
}

/** A step that may have taken effect without a record gets one, so that it is undone if need be. */
function withDoubt(instance: Instance, isDoubtful: boolean): StepRecord[] {
  const { status, position, records } = instance
  const heads =
    status === 'COMPENSATING'
      ? [position]
      : isDoubtful
        ? doubtfulHeads(instance, { forks: instance.forks ?? [] })
        : []
  const marked = status === 'COMPENSATING' ? 'UNDOING' : 'RETRYING'
  const marks = heads.flatMap((head): StepRecord[] => {
    const record = recordAt(instance, head)
    const isWaiting = record?.status === 'WAITING' && instance.kept.length === 0
    if (head < 0 || isWaiting || mustBeUndone(record) || isUndone(record)) return []
    return [{ ...NOTHING, ...record, position: head, status: marked }]
  })
  const changed = new Set(marks.map((mark) => mark.position))
  return [...records.filter((record) => !changed.has(record.position)), ...marks]
}

function positionOf(
  saga: AnySaga,
  {
    instance,
    records,
    at,
  }: { instance: Instance; records: readonly StepRecord[]; at: string | undefined },
): number {
  const upgraded = { ...instance, records }
  if (instance.status === 'COMPENSATING') return lastToUndo(upgraded, saga.steps, saga.steps.length)
  if (at !== undefined) {
    const position = indexOf(saga, at)
    if (position < 0) throw refused(saga, instance, `has no step ${at}`)
    return unitAt(saga.forks, position).from
  }
  const last = Math.max(-1, ...records.map(({ position }) => position))
  if (last < 0) return 0
  const unit = unitAt(saga.forks, last)
  const isOver = Array.from({ length: unit.to - unit.from }, (_, i) => unit.from + i).every(
    (each) => isPassed(recordAt(upgraded, each)),
  )
  return isOver ? unit.to : unit.from
}

function skippedBefore(
  end: number,
  { saga, records }: { saga: AnySaga; records: readonly UpgradedRecord[] },
): UpgradedRecord[] {
  const begun = new Set(records.map(({ position }) => position))
  return saga.steps.slice(0, end).flatMap(({ name }, position): UpgradedRecord[] => {
    if (begun.has(position)) return []
    return [{ ...NOTHING, position, name, status: 'SKIPPED', from: null }]
  })
}

function indexOf({ steps }: AnySaga, name: string): number {
  return steps.findIndex((step) => step.name === name)
}

function refused(saga: AnySaga, { version }: Instance, why: string): SagaError {
  const upgrade = `the upgrade of ${saga.name} from v${version} to v${saga.version}`
  return new SagaError('SAGA_UPGRADE_REFUSED', `${upgrade} ${why}`)
}
