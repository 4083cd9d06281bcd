import { Stack, Text } from '@mantine/core'
import { CodeNote } from '../../codes/code-note.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Time } from '../../parts/time.tsx'
import { placeOf, type Alert } from './alert.ts'

/** What happened, what it means, and where to look. */
export function AlertDetails({ alert }: { alert: Alert }) {
  const place = placeOf(alert)
  return (
    <Stack gap="sm">
      <Text>{alert.detail}</Text>
      <CodeNote code={alert.code} />
      <KeyValue
        facts={{
          Source: alert.source,
          Subject: <CopyId id={alert.subject} />,
          Organisation: alert.tenant ?? undefined,
          Raised: <Time at={alert.raisedAt} />,
          Acknowledged:
            alert.acknowledgedAt === null ? undefined : (
              <>
                by {alert.acknowledgedBy ?? 'unknown'} <Time at={alert.acknowledgedAt} />
              </>
            ),
          Recovered: alert.recoveredAt === null ? undefined : <Time at={alert.recoveredAt} />,
        }}
      />
      {place !== undefined && <AnchorLink to={place}>Open</AnchorLink>}
    </Stack>
  )
}
