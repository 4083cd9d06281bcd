import { toMs, type Duration, type Queryable } from '@posthorn/engine'
import type { RetentionCatalogue } from '@posthorn/operate'
import { deleteMessages } from './queries.ts'

const BATCH = 1_000

/** Deletes messages older than this that every group has passed, in batches; returns how many. */
export async function pruneMessages(db: Queryable, olderThan: Duration): Promise<number> {
  const limits = { olderThanMs: toMs(olderThan), limit: BATCH }
  let total = 0
  let deleted: number
  do total += deleted = await deleteMessages(db, limits)
  while (deleted > 0)
  return total
}

/** What the topics keep. */
export const topicRetention: RetentionCatalogue = {
  classes: [
    {
      name: 'engine.topics',
      title: 'Messages in Postgres topics that every group has read',
      keep: '7d',
      least: '1h',
      personal: true,
      leaves: 'What the consumers made of them.',
      maintained: [
        {
          table: 'posthorn.topic_message',
          key: ['topic', 'partition', 'log_offset'],
          dated: 't.appended_at',
        },
      ],
      prune: ({ pool, keepMs }) => pruneMessages(pool, `${keepMs}ms`),
    },
  ],
  personal: [
    {
      table: 'posthorn.topic_message',
      key: ['topic', 'partition', 'log_offset'],
      org: 'coalesce(t.tenant, $tenant)',
      busy: `exists (select from posthorn.topic_group_partition as g
                      where g.topic = t.topic and g.partition = t.partition
                        and g.committed_offset <= t.log_offset)`,
    },
  ],
  kept: {
    'posthorn.topic': 'one row for each topic',
    'posthorn.topic_group_member': 'leases of readers',
    'posthorn.topic_group_partition': 'how far each group has read',
  },
}
