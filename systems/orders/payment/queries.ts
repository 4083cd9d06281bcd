import { sql, type Transaction } from '@posthorn/engine'
import { one } from '@posthorn/system'
import type { OrderInput } from '../order.ts'

export interface PaymentOrder extends Omit<OrderInput, 'items'> {
  /** What the gateway knows the charge by. */
  readonly key: string
}

export type PaymentStatus =
  'CHARGING' | 'CHARGED' | 'DECLINED' | 'FAILED' | 'CANCELLED' | 'REFUNDED'

export interface Payment {
  readonly status: PaymentStatus
  readonly gateway_ref: string | null
  readonly error_code: string | null
  readonly error: string | null
  readonly cancelled: boolean
  /** A worker may be calling the gateway now. */
  readonly busy: boolean
}

/** The same as a worker begins on it. */
export interface BegunPayment extends Payment {
  /** Begun so long ago that the gateway may have forgotten its key. */
  readonly old: boolean
}

/**
 * Records the intent to charge, before the request leaves: a cancellation must know
 * that money may be on its way. A payment that is settled or cancelled stays as it is.
 */
export const beginCharge = (
  tx: Transaction,
  { orderId, orgId, amount, currency, key }: PaymentOrder,
  callMs: number,
) =>
  one<BegunPayment>(tx)(sql`
    insert into sagas.payment as p
           (order_id, org_id, status, amount, currency, gateway_key, calls, calling_until)
    values (${orderId}, ${orgId}, 'CHARGING', ${amount}, ${currency}, ${key}, 1,
            clock_timestamp() + ${callMs}::float8 * interval '1 ms')
    on conflict (order_id) do update
       set calls = p.calls + (p.status = 'CHARGING' and p.cancelled_at is null)::integer,
           calling_until = case when p.status = 'CHARGING' and p.cancelled_at is null
                                then greatest(p.calling_until, excluded.calling_until)
                                else p.calling_until end
    returning status, gateway_ref, error_code, error, cancelled_at is not null as cancelled,
              true as busy,
              created_at < clock_timestamp() - interval '12 hours' as old`)

/**
 * Writes down a charge, even where the payment was settled as failed. False: the payment was
 * cancelled before, when its caller seemed to be dead.
 */
export async function settleCharged(
  tx: Transaction,
  orderId: string,
  ref: string,
): Promise<boolean> {
  const { rows } = await tx.query<{ status: PaymentStatus }>(sql`
    with settled as (
      update sagas.payment
         set status = 'CHARGED', gateway_ref = ${ref}, error_code = null, error = null, updated_at = now()
       where order_id = ${orderId} and status in ('CHARGING', 'FAILED')
      returning status
    )
    select coalesce((select status from settled), status) as status
      from sagas.payment where order_id = ${orderId}`)
  return rows[0]?.status === 'CHARGED' || rows[0]?.status === 'REFUNDED'
}

export async function settleUncharged(
  tx: Transaction,
  orderId: string,
  { status, code, message }: { status: 'DECLINED' | 'FAILED'; code: string; message: string },
): Promise<void> {
  await tx.query(sql`
    update sagas.payment
       set status = ${status}, error_code = ${code}, error = ${message}, updated_at = now()
     where order_id = ${orderId} and status = 'CHARGING'`)
}

/**
 * Keeps every worker from beginning a charge, from the commit on. A payment without a row is
 * cancelled with that; the command that comes later finds it.
 */
export const cancelPayment = (
  tx: Transaction,
  { orderId, orgId, amount, currency, key }: PaymentOrder,
) =>
  one<Payment>(tx)(sql`
    insert into sagas.payment as p
           (order_id, org_id, status, amount, currency, gateway_key, cancelled_at)
    values (${orderId}, ${orgId}, 'CANCELLED', ${amount}, ${currency}, ${key}, now())
    on conflict (order_id) do update set cancelled_at = coalesce(p.cancelled_at, now())
    returning status, gateway_ref, error_code, error, true as cancelled,
              -- One who failed has ended; of two, the other may be under way.
              calling_until > clock_timestamp()
                and (status = 'CHARGING' or status = 'FAILED' and calls > 1) as busy`)

/** Keeps a command that is on its way from beginning a payment; one that has begun stays as it is. */
export async function refusePayment(
  tx: Transaction,
  { orderId, orgId, amount, currency, key }: PaymentOrder,
): Promise<void> {
  await tx.query(sql`
    insert into sagas.payment (order_id, org_id, status, amount, currency, gateway_key, cancelled_at)
    values (${orderId}, ${orgId}, 'CANCELLED', ${amount}, ${currency}, ${key}, now())
    on conflict (order_id) do nothing`)
}

/** Ends a payment under whose key the gateway has nothing. */
export async function settleCancelled(tx: Transaction, orderId: string): Promise<void> {
  await tx.query(sql`
    update sagas.payment
       set status = 'CANCELLED', updated_at = now()
     where order_id = ${orderId} and status = 'CHARGING'`)
}

export async function settleRefunded(
  tx: Transaction,
  orderId: string,
  { chargeRef, refundRef }: { chargeRef: string; refundRef: string },
): Promise<void> {
  await tx.query(sql`
    update sagas.payment
       set status = 'REFUNDED', gateway_ref = ${chargeRef}, refund_ref = ${refundRef},
           error_code = null, error = null, updated_at = now()
     where order_id = ${orderId} and status <> 'REFUNDED'`)
}
