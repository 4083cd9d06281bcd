export interface SimulatedGatewayOptions {
  /** Who is told of charges and refunds; without it nobody is, and another simulator goes first. */
  readonly webhooks?: WebhookReceiver
}

export interface WebhookReceiver {
  /** A URL, or a path of the server that the simulator is mounted on. */
  readonly to: string
  /** Signs the webhooks. */
  readonly secret: string
}

/** Where webhooks go at this moment; undefined where nobody is told. */
export function receiverUrl(
  receiver: WebhookReceiver | undefined,
  origin: () => string,
): string | undefined {
  return receiver?.to.startsWith('/') ? `${origin()}${receiver.to}` : receiver?.to
}
