import type { RetentionCatalogue } from '@posthorn/operate'

/** What incidents keep. */
export const incidentRetention: RetentionCatalogue = {
  classes: [
    {
      name: 'incidents.incidents',
      title: 'Incidents that are over',
      keep: '365d',
      personal: false,
      leaves: 'Its alerts.',
      rules: [
        {
          table: 'incidents.incident',
          key: ['id'],
          uuid: 'id',
          dated: 't.closed_at',
          when: 't.closed_at is not null',
          org: 't.tenant',
        },
      ],
    },
    {
      name: 'incidents.notices',
      title: 'Notices of incidents that were sent',
      keep: '90d',
      personal: false,
      leaves: 'The incident.',
      rules: [
        {
          table: 'incidents.notice',
          key: ['id'],
          uuid: 'id',
          dated: 'greatest(t.created_at, t.sent_at)',
          when: `t.status in ('delivered', 'abandoned')`,
          org: 't.tenant',
        },
      ],
    },
  ],
  personal: [
    {
      table: 'incidents.notice',
      key: ['id'],
      org: 'coalesce(t.tenant, $tenant)',
      busy: `t.status in ('pending', 'failed')`,
    },
    {
      table: 'incidents.incident',
      key: ['id'],
      org: 'coalesce(t.tenant, $tenant)',
    },
  ],
  kept: { 'incidents.channel': 'as long as notices go there; it goes when it is removed' },
}
