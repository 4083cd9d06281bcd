import { SagaError } from './errors.ts'
import type { Instance } from './instance.ts'
import type { AnySaga } from './saga.ts'

/** What a process can say about an instance: its saga, or why it must not touch it. */
export type Found = { readonly saga: AnySaga } | { readonly missing: SagaError }

/** The definitions a process runs, several versions of one saga side by side. */
export class Registry {
  readonly #sagas = new Map<string, AnySaga>()

  constructor(sagas: readonly AnySaga[]) {
    for (const saga of sagas) {
      const key = keyOf(saga)
      if (this.#sagas.has(key)) {
        throw new SagaError('SAGA_DEFINITION_INVALID', `saga ${key} is registered twice`)
      }
      this.#sagas.set(key, saga)
    }
  }

  find(instance: Instance): Found {
    const key = keyOf(instance)
    const saga = this.#sagas.get(key)
    if (!saga) return { missing: new SagaError('SAGA_UNKNOWN', `${key} is not registered here`) }
    const names = saga.steps.map(({ name }) => name)
    const same =
      names.length === instance.step_names.length &&
      names.every((name, i) => name === instance.step_names[i])
    if (same) return { saga }
    const problem = `${key} was begun with the steps ${instance.step_names.join(', ')} and now has ${names.join(', ')}`
    return { missing: new SagaError('SAGA_CHANGED', problem) }
  }
}

export function keyOf({ name, version }: { name: string; version: number }): string {
  return `${name} v${version}`
}
