/** A template that Meta has approved, as it lists them. */
export interface SimulatedTemplate {
  readonly name: string
  readonly category: 'AUTHENTICATION' | 'MARKETING' | 'UTILITY'
  readonly header?: 'IMAGE'
  readonly body: string | undefined
  /** Buttons that take a value. */
  readonly button?: { readonly type: 'URL'; readonly url: string } | { readonly type: 'OTP' }
}

export const TEMPLATES: readonly SimulatedTemplate[] = [
  { name: 'hello_world', category: 'UTILITY', body: 'Hello World' },
  { name: 'otp_code', category: 'UTILITY', body: 'Your code is {{1}}.' },
  {
    name: 'appointment_reminder',
    category: 'UTILITY',
    body: 'Your appointment is on {{1}} at {{2}}.',
  },
  { name: 'payment_receipt', category: 'UTILITY', body: 'We have received {{1}} for {{2}}.' },
  // Its text is Meta's own; the code stands in it and in the button.
  { name: 'login_code', category: 'AUTHENTICATION', body: undefined, button: { type: 'OTP' } },
  {
    name: 'order_shipped',
    category: 'UTILITY',
    header: 'IMAGE',
    body: 'Hello {{name}}, your order {{order}} is on its way.',
    button: { type: 'URL', url: 'https://shop.example/orders/{{1}}' },
  },
]

/** How many parameters the body takes. */
export function bodyCountOf({ body }: SimulatedTemplate): number {
  return body === undefined ? 1 : new Set(body.match(/\{\{\w+\}\}/g)).size
}

/** The list of `GET /{account}/message_templates`. */
export function listing(): unknown {
  const data = TEMPLATES.map(({ name, category, header, body, button }, i) => ({
    ...{ id: String(1_000 + i), name, language: 'en_US', status: 'APPROVED', category },
    components: [
      ...(header ? [{ type: 'HEADER', format: header }] : []),
      body === undefined
        ? { type: 'BODY', add_security_recommendation: true }
        : { type: 'BODY', text: body },
      ...(button ? [{ type: 'BUTTONS', buttons: [buttonOf(button)] }] : []),
    ],
  }))
  return { data, paging: { cursors: { before: 'a', after: 'b' } } }
}

function buttonOf(button: NonNullable<SimulatedTemplate['button']>): unknown {
  return button.type === 'OTP'
    ? { type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }
    : { type: 'URL', text: 'Follow it', url: button.url }
}
