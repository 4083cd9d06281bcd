import {
  Autocomplete,
  Checkbox,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  TextInput,
} from '@mantine/core'
import { CAMT_REFERENCES, MT940_REFERENCES } from '../../../reconciliation/formats/references.ts'
import { AMOUNT_COLUMNS } from '../../../reconciliation/profiles/standard.ts'
import { COLUMN_WORDS, columnIn, type ColumnName, type Rules } from './rules.ts'

/** The values of some rules with their labels. */
const CHOICES = {
  delimiter: { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' },
  encoding: { 'utf-8': 'UTF-8', 'windows-1252': 'Windows-1252, Latin-1' },
  decimal: { '.': 'point: 1234.50', ',': 'comma: 1234,50' },
  thousands: { '': 'nothing', '.': 'point', ',': 'comma', ' ': 'blank', "'": 'apostrophe' },
  sign: {
    signed: 'in the amount',
    'debit-credit': 'by the column: debit or credit',
    flag: 'in its own column',
  },
} as const
type ChoiceName = keyof typeof CHOICES

const FLAGS = [
  { name: 'debitFlags', label: 'Debit flags', description: 'Separated by commas: S,D.' },
  { name: 'creditFlags', label: 'Credit flags', description: 'Separated by commas: H,C.' },
] as const

interface RulesFieldsProps {
  readonly rules: Rules
  /** Of the file that is looked at, to choose from. */
  readonly choices?: readonly string[]
  readonly onChange: (rules: Rules) => void
}

export function RulesFields({ rules, choices = [], onChange }: RulesFieldsProps) {
  const set = (change: Partial<Rules>) => onChange({ ...rules, ...change })
  const columns: readonly ColumnName[] = [
    'externalTransactionId',
    'date',
    ...AMOUNT_COLUMNS[rules.sign],
    ...(rules.currency ? [] : (['currency'] as const)),
  ]
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Chosen label="Column separator" name="delimiter" {...{ rules, set }} />
      <Chosen label="Encoding" name="encoding" {...{ rules, set }} />
      <NumberInput
        label="Header line"
        description="0: no header; columns are positions."
        value={rules.headerLine ?? 0}
        onChange={(line) => set({ headerLine: Number(line) === 0 ? null : Number(line) })}
        min={0}
        max={100}
        allowDecimal={false}
      />
      <TextInput
        label="Date format"
        description="Use yyyy, yy, MM, M, dd, d."
        value={rules.dateFormat}
        onChange={({ currentTarget }) => set({ dateFormat: currentTarget.value })}
      />
      <Chosen label="Decimal separator" name="decimal" {...{ rules, set }} />
      <Chosen label="Thousands separator" name="thousands" {...{ rules, set }} />
      <Chosen label="Sign" name="sign" {...{ rules, set }} />
      <TextInput
        label="Currency of every row"
        description="Leave empty if it is in a column."
        placeholder="EUR"
        value={rules.currency ?? ''}
        onChange={({ currentTarget }) =>
          set({ currency: currentTarget.value.trim().toUpperCase() })
        }
        maxLength={3}
      />
      {columns.map((name) => (
        <Autocomplete
          key={name}
          size="xs"
          label={`Column: ${COLUMN_WORDS[name]}`}
          description={choices.length > 0 ? 'Of the file.' : 'Its name, or its position from 1.'}
          data={[...choices]}
          filter={({ options }) => options}
          value={String(rules.columns[name] ?? '')}
          onChange={(value) => set({ columns: { ...rules.columns, [name]: columnIn(value) } })}
          required
        />
      ))}
      {rules.sign === 'flag' &&
        FLAGS.map(({ name, label, description }) => (
          <TextInput
            key={name}
            {...{ label, description }}
            value={rules[name]?.join(',') ?? ''}
            onChange={({ currentTarget }) => set({ [name]: flagsIn(currentTarget.value) })}
            required
          />
        ))}
      <MultiSelect
        label="camt.053: transaction id"
        description="The first of these that is there. Empty: EndToEndId, TxId, InstrId, AcctSvcrRef, NtryRef."
        data={[...CAMT_REFERENCES]}
        value={rules.camtReferences ?? []}
        onChange={(chosen) => set({ camtReferences: within(CAMT_REFERENCES, chosen) })}
        clearable
      />
      <MultiSelect
        label="MT940: transaction id"
        description="The first of these that is there. Empty: EREF, customer, KREF, bank."
        data={[...MT940_REFERENCES]}
        value={rules.mt940References ?? []}
        onChange={(chosen) => set({ mt940References: within(MT940_REFERENCES, chosen) })}
        clearable
      />
      <TextInput
        label="Pattern of the transaction id in the text"
        description="For camt.053 and MT940: # is a digit, * any letters and digits."
        placeholder="INV-####"
        value={rules.textPattern ?? ''}
        onChange={({ currentTarget }) => set({ textPattern: currentTarget.value.trim() })}
        maxLength={40}
      />
      <Checkbox
        label="Refuse files whose balances do not tie out"
        checked={rules.balances === 'require'}
        onChange={({ currentTarget }) =>
          set({ balances: currentTarget.checked ? 'require' : 'report' })
        }
      />
    </SimpleGrid>
  )
}

/** In the order in which they were chosen. */
function within<Name extends string>(names: readonly Name[], chosen: readonly string[]): Name[] {
  return chosen.flatMap((each) => names.find((name) => name === each) ?? [])
}

interface ChosenProps {
  readonly label: string
  readonly name: ChoiceName
  readonly rules: Rules
  readonly set: (change: Partial<Rules>) => void
}

function Chosen({ label, name, rules, set }: ChosenProps) {
  const value = rules[name]
  return (
    <Select
      label={label}
      data={Object.entries(CHOICES[name]).map(([each, words]) => ({ value: each, label: words }))}
      // Read as windows-1252, which has all of it.
      value={value === 'latin1' ? 'windows-1252' : value}
      onChange={(next) => set({ [name]: next })}
      allowDeselect={false}
    />
  )
}

function flagsIn(typed: string): string[] {
  return typed.split(',').map((flag) => flag.trim())
}
