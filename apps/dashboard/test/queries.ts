/** What a relay writes of a message whose claims were lost. */
export const insertAlert = `
  insert into posthorn.alert (source, subject, code, detail)
  values ('evidence', 'job-7', 'CLAIM_FATAL', 'three relays were lost')
  returning id`
