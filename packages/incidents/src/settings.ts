import { Type } from 'typebox'
import { mailSettings } from '@posthorn/system/mailer'

export const incidentSettings = Type.Object({
  ...mailSettings,
  NOTICES_ALLOW_CIDRS: Type.String({
    description:
      'networks that notices of incidents may go to although they are not public, as 10.1.0.0/16 with commas between',
    pattern: '^[0-9a-fA-F:./, ]*$',
    default: '',
  }),
})
