import { Type } from 'typebox'

/** Stands for the simulated mailbox. */
export const SIMULATED = 'simulated'

export const familySettings = Type.Object({
  SMTP_URL: Type.String({
    description:
      'the mail server, as smtp(s)://user:password@host:587; in development the simulated mailbox',
    pattern: `^(${SIMULATED}|smtps?://.+)$`,
    default: SIMULATED,
    production: 'required',
    secret: true,
  }),
  MAIL_FROM: Type.String({
    description: 'the sender of mails, as Name <address>',
    pattern: '^[^\\r\\n]*@[A-Za-z0-9.-]+>?$',
    default: 'Family Hub <invitations@family-hub.test>',
    production: 'required',
  }),
  FAMILIES_INVITATION_URL: Type.Optional(
    Type.String({
      description:
        "the page that takes an invitation's token, as http(s)://…; without it /invitations of this server",
      pattern: '^https?://.+$',
    }),
  ),
})
