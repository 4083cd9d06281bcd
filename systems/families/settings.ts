import { Type } from 'typebox'
import { mailSettings } from '@posthorn/system/mailer'

export const familySettings = Type.Object({
  ...mailSettings,
  FAMILIES_INVITATION_URL: Type.Optional(
    Type.String({
      description:
        "page that takes an invitation's token, http(s)://…; default /invitations of this server",
      pattern: '^https?://.+$',
    }),
  ),
  FAMILIES_EVENT_TOKEN: Type.Union([Type.Literal('sealed'), Type.Literal('clear')], {
    description:
      "`clear` or `sealed`: whether events carry an invitation's token in clear, so that queues and topics have it, or encrypted for the mailer of this server",
    default: 'clear',
  }),
})
