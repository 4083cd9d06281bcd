import { Type } from 'typebox'
import { mailSettings } from '@posthorn/system/mailer'

export const familySettings = Type.Object({
  ...mailSettings,
  FAMILIES_INVITATION_URL: Type.Optional(
    Type.String({
      description:
        "the page that takes an invitation's token, as http(s)://…; without it /invitations of this server",
      pattern: '^https?://.+$',
    }),
  ),
  FAMILIES_EVENT_TOKEN: Type.Union([Type.Literal('sealed'), Type.Literal('clear')], {
    description:
      '`clear` or `sealed`: how events carry the token of an invitation. Sealed, only the mailer of this server can read it; in clear it stands in the queues and topics',
    default: 'clear',
  }),
})
