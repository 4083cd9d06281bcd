import { Type } from 'typebox'
import { mailSettings } from '../mailer.ts'

export const familySettings = Type.Object({
  ...mailSettings,
  FAMILIES_INVITATION_URL: Type.Optional(
    Type.String({
      description:
        "the page that takes an invitation's token, as http(s)://…; without it /invitations of this server",
      pattern: '^https?://.+$',
    }),
  ),
})
