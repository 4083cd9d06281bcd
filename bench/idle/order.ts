/** What a child process of `idle` runs. */
export interface IdleOrder {
  readonly who: 'posthorn' | 'posthorn asleep' | 'pg-boss' | 'graphile-worker'
  readonly databaseUrl: string
  readonly queues: number
}
