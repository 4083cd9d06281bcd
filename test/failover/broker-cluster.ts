/** Three brokers of one cluster, by their place. */
export interface BrokerCluster {
  readonly version: string
  readonly size: number
  /** Where clients find it. */
  readonly env: Readonly<Record<string, string>>
  /** `kill -9`. */
  kill(place: number): Promise<void>
  start(place: number): Promise<void>
  /** Waits until it takes clients. */
  awaitReady(place: number): Promise<void>
  stop(): Promise<void>
}
