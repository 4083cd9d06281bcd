import { Injectable } from '@nestjs/common'
import { sql, type Handling, type StandardOutbox } from '@posthorn/engine'
import { HandleMessage, InjectOutbox, PosthornHost } from '@posthorn/nest'
import { events, type Events } from './events.ts'

@Injectable()
export class Orders {
  readonly #done = Promise.withResolvers<void>()
  /** Resolves once a parcel is packed. */
  readonly packed = this.#done.promise

  constructor(
    private readonly posthorn: PosthornHost,
    @InjectOutbox(events)
    private readonly outbox: StandardOutbox<Events, { key: string }>,
  ) {}

  /** The order and its message, or neither. */
  place(item: string): Promise<number> {
    return this.posthorn.transaction(async (tx) => {
      const insert = sql`insert into shop.orders (item) values (${item}) returning id`
      const { rows } = await tx.query<{ id: number }>(insert)
      const order = rows[0]?.id ?? 0
      await this.outbox.enqueue(tx, 'order.placed', { order, item }, { key: String(order) })
      return order
    })
  }

  /** What is written with `tx` happens once, however often the message comes. */
  @HandleMessage(events, 'order.placed')
  async pack({ payload, tx }: Handling<Events['order.placed']>): Promise<void> {
    await tx.query(sql`insert into shop.parcels (order_id) values (${payload.order})`)
    console.log(`order ${payload.order} is packed: ${payload.item}`)
    this.#done.resolve()
  }
}
