import type { Log, Queryable } from '@posthorn/engine'
import type { PartitionReader } from '../../consume/partition-reader.ts'
import type { Reader } from './reader.ts'
import {
  claimPartitions,
  commitOffsets,
  deleteMember,
  insertMember,
  releasePartitions,
  selectHeld,
  selectShare,
  type Holder,
  type Holding,
  type Membership,
} from './queries.ts'

export interface GroupMemberOptions {
  readonly db: Queryable
  readonly log: Log
  readonly me: Membership
  readonly reader: Pick<Reader, 'id' | 'isLate'>
  readonly openReader: (holding: Holding) => PartitionReader
  /** Called when the other members should look at the group. */
  readonly onChange: () => void
}

/**
 * One member of a consumer group: holds its fair share of the partitions and commits how far their
 * readers are. What is true about partitions is in the database, so a member may die at any line:
 * its lease ends, and the token keeps what it may still say from being heard.
 */
export class GroupMember {
  readonly readers = new Map<number, PartitionReader>()
  readonly #options: GroupMemberOptions
  #server = ''
  #look = true

  constructor(options: GroupMemberOptions) {
    this.#options = options
  }

  /** As which partitions are read and committed. */
  get holder(): Holder {
    return { ...this.#options.me, server: this.#server }
  }

  /** The group has changed: look again at the next `tend`. */
  look(): void {
    this.#look = true
  }

  /** Commits, gives back what was drained, and balances where the group has changed. */
  async tend(): Promise<void> {
    const { reader, log, me } = this.#options
    try {
      await this.commit()
      await this.#releaseDrained()
      if (this.#look) await this.balance()
    } catch (error) {
      log.warn({ ...me, err: error }, 'consumer group maintenance failed; trying again')
      this.#look = true
    }
    if (reader.isLate && this.readers.size > 0) {
      this.#look = true
      for (const each of this.readers.values()) this.#lose(each)
    }
  }

  async commit(): Promise<void> {
    const { db } = this.#options
    const dirty = [...this.readers.values()]
      .filter((reader) => reader.done > reader.committed)
      .map((reader) => ({ reader, offset: reader.done }))
    if (dirty.length === 0) return
    const holdings = dirty.map(({ reader: { partition, token }, offset }) => ({
      partition,
      token,
      offset,
    }))
    const committed = new Set(await commitOffsets(db, this.holder, holdings))
    for (const { reader, offset } of dirty) {
      if (committed.has(reader.partition)) reader.wasCommitted(offset)
      else this.#lose(reader)
    }
  }

  /** Looks what is held, then takes or gives back partitions until the share is right. */
  async balance(): Promise<void> {
    const { db, me, reader: own, openReader } = this.#options
    this.#look = false
    this.#follow(await insertMember(db, me, own.id))
    await this.#compare()
    const surplus = this.#active().length - (await selectShare(db, me))
    // Given back by a later `tend`, when the messages in hand are done.
    for (const reader of surplus > 0 ? this.#active().slice(-surplus) : []) void reader.stop()
    if (surplus >= 0) return
    for (const holding of await claimPartitions(db, me, -surplus)) {
      this.readers.set(holding.partition, openReader(holding))
    }
  }

  /** Commits and gives everything back, so that the others need not wait for a lease to end. */
  async leave(): Promise<void> {
    const { db, me, onChange } = this.#options
    await this.commit()
    await releasePartitions(db, me, [...this.readers.keys()])
    await deleteMember(db, me)
    onChange()
  }

  /** What was read from one server says nothing about another: all readers begin anew there. */
  #follow(server: string): void {
    if (server === this.#server) return
    this.#server = server
    for (const reader of this.readers.values()) this.#lose(reader)
  }

  async #compare(): Promise<void> {
    const { db, me } = this.#options
    const kept = new Map(
      (await selectHeld(db, me)).map(({ partition, token }) => [partition, token]),
    )
    for (const reader of this.readers.values()) {
      if (kept.get(reader.partition) !== reader.token) this.#lose(reader)
    }
    // Claimed by a statement whose answer never came, or on another server: they have no reader.
    const orphans = [...kept.keys()].filter((partition) => !this.readers.has(partition))
    if (orphans.length > 0) await this.#release(orphans)
  }

  async #releaseDrained(): Promise<void> {
    const drained = [...this.readers.values()].filter(
      (reader) => reader.drained && reader.done === reader.committed,
    )
    if (drained.length === 0) return
    await this.#release(drained.map((reader) => reader.partition))
    for (const reader of drained) this.readers.delete(reader.partition)
  }

  async #release(partitions: readonly number[]): Promise<void> {
    await releasePartitions(this.#options.db, this.#options.me, partitions)
    this.#options.onChange()
  }

  #active(): PartitionReader[] {
    return [...this.readers.values()].filter((reader) => !reader.stopped)
  }

  #lose(reader: PartitionReader): void {
    const { log, me } = this.#options
    log.info(
      { ...me, partition: reader.partition },
      'partition lost to another member or server; its reader stops',
    )
    reader.abandon()
    this.readers.delete(reader.partition)
  }
}
