import type { Transaction } from '@posthorn/engine'
import { uuid } from '@posthorn/engine'
import { newWebhookSecret } from '@posthorn/transports/webhook'
import type { Sealing } from '../../../sealing.ts'
import { expireSecrets, insertSecret } from './queries.ts'

/** Gives an endpoint a new secret; the ones before sign beside it for another 24 hours. */
export async function renewSecret(
  tx: Transaction,
  sealing: Sealing,
  endpointId: string,
): Promise<string> {
  const secret = newWebhookSecret()
  await expireSecrets(tx, endpointId)
  await insertSecret(tx, {
    id: uuid(),
    endpointId,
    sealed: sealing.seal(secret, owner(endpointId)),
  })
  return secret
}

/** The secrets that sign for an endpoint, newest first. */
export function openSecrets(
  sealing: Sealing,
  endpointId: string,
  sealed: readonly string[],
): string[] {
  return sealed.map((each) => sealing.open(each, owner(endpointId)))
}

function owner(endpointId: string): string {
  return `webhook endpoint ${endpointId}`
}
