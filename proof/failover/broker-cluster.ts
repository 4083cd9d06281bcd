/** Three brokers of one cluster, by their place. */
export interface BrokerCluster {
  readonly version: string
  readonly size: number
  /** Where clients find it. */
  readonly env: Readonly<Record<string, string>>
  /** `kill -9`. */
  kill(place: number): Promise<void>
  start(place: number): Promise<void>
  /** Nothing passes between this node and the others; clients reach all of them. */
  cutOff(place: number): Promise<void>
  /** Lets everything through again. */
  heal(): Promise<void>
  /** Whether a node that is left alone sends its clients away. */
  readonly pausesAlone: boolean
  takesClients(place: number): Promise<boolean>
  /** Waits until it takes clients. */
  awaitReady(place: number): Promise<void>
  stop(): Promise<void>
}
