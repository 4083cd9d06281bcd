import { Accordion, Text } from '@mantine/core'
import { Json } from '../../parts/json.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { Panel } from '../../parts/panel.tsx'
import { definitionInWords } from './definition-in-words.ts'

/** How an outbox was defined, in words and as it is. */
export function Definition({ definition }: { definition: Readonly<Record<string, unknown>> }) {
  return (
    <Panel title="Definition">
      <KeyValue facts={definitionInWords(definition)} />
      <Accordion mt="sm" variant="contained">
        <Accordion.Item value="data">
          <Accordion.Control>
            <Text size="sm">JSON</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Json value={definition} label="definition" />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Panel>
  )
}
