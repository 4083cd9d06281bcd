import { randomUUID } from 'node:crypto'
import { uuid } from '@posthorn/engine'
import type { FastifyInstance } from 'fastify'
import type { Pool, PoolClient } from 'pg'
import { request as ask } from 'undici'

interface Order {
  readonly amount: number
  readonly currency: string
}

/**
 * What an application would write that trusts every process to live: the same rows and the same call, with
 * no token, no checks, no look at the key's history, and no worker to finish what is left.
 */
export function barePayments(app: FastifyInstance, pool: Pool, gatewayUrl: string): void {
  app.post<{ Body: Order }>('/api/v1/payments', async (request, reply) => {
    const { amount, currency } = request.body
    const key = String(request.headers['idempotency-key'])
    const [id, transactionId] = [uuid(), uuid()]
    await inTransaction(pool, async (client) => {
      await client.query(
        `insert into payments.idempotency_keys
                (scope, key, fingerprint, lock_token, locked_until, state, expires_at)
         values ('bench', $1, '', $2, now() + interval '1 minute', $3, now() + interval '1 day')`,
        [key, randomUUID(), { transactionId }],
      )
      await client.query(
        `insert into payments.payments (id, org_id, user_id, amount, currency)
         values ($1, 'bench', 'bench', $2, $3)`,
        [id, amount, currency],
      )
      await client.query(
        `insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
         values ($1, $2, 'charge', $3, $4, $5)`,
        [transactionId, id, amount, currency, `charge-${id}`],
      )
      await audit(client, 'payment.created', id)
    })
    const { body: answer } = await ask(`${gatewayUrl}/charges`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `charge-${id}` },
      body: JSON.stringify({ amount, currency, reference: id }),
    })
    const { id: ref } = (await answer.json()) as { id: string }
    const receipt = { id, status: 'pending', amount, currency, gatewayRef: ref }
    const body = JSON.stringify(receipt)
    await inTransaction(pool, async (client) => {
      await client.query('update payments.payments set gateway_ref = $2 where id = $1', [id, ref])
      await client.query(
        `update payments.transactions set status = 'succeeded', gateway_ref = $2 where id = $1`,
        [transactionId, ref],
      )
      await audit(client, 'payment.charged', id)
      await client.query(
        `update payments.idempotency_keys
            set response_status = 201, response_headers = '{}', response_body = $2,
                completed_at = now(), lock_token = null, locked_until = null
          where scope = 'bench' and key = $1`,
        [key, Buffer.from(body)],
      )
    })
    return reply.code(201).type('application/json').send(body)
  })
}

async function audit(client: PoolClient, action: string, id: string): Promise<void> {
  await client.query(`select payments.create_audit_log('bench', 'bench', $1, 'payment', $2)`, [
    action,
    id,
  ])
}

async function inTransaction(
  pool: Pool,
  work: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await work(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
