import { migrationsFrom, type MigrationSet } from '@posthorn/engine'

/** The sagas' tables: `sagas.saga`, `saga_step`, `saga_turn`, `saga_reply`, `saga_outbox`, `consumer_inbox`. */
export function sagaMigrations(): Promise<MigrationSet> {
  return migrationsFrom('sagas', new URL('./migrations/', import.meta.url))
}
