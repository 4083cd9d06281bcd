import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** What is pressed and chosen. Greys with a little blue, so that colour is left to mean something. */
const ink: MantineColorsTuple = [
  '#f3f5f8',
  '#e4e8ee',
  '#ccd3dd',
  '#aab5c4',
  '#8593a7',
  '#64748b',
  '#4b5a70',
  '#374458',
  '#263244',
  '#172031',
]

/** The dark page: text first, deepest ground last. */
const dark: MantineColorsTuple = [
  '#dfe2e7',
  '#b9bec8',
  '#9aa1ad',
  '#626975',
  '#393e48',
  '#262a32',
  '#1d2027',
  '#15181d',
  '#0f1115',
  '#0b0d10',
]

/** A cross is no name. */
const CLOSE = { 'aria-label': 'Close' }

export const theme = createTheme({
  colors: { ink, dark },
  primaryColor: 'ink',
  // White letters stand on both.
  primaryShade: { light: 8, dark: 5 },
  black: '#172031',
  defaultRadius: 'sm',
  radius: { sm: '6px', md: '8px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, Menlo, "Cascadia Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '0.875rem', lineHeight: '1.5' },
      h3: { fontSize: '0.8125rem', lineHeight: '1.5' },
    },
  },
  components: {
    Anchor: { defaultProps: { underline: 'hover' } },
    Table: {
      styles: {
        table: {
          '--table-border-color': 'var(--rule)',
          fontSize: 'var(--mantine-font-size-sm)',
        },
        th: { color: 'var(--mantine-color-dimmed)', fontSize: '12px', fontWeight: 500 },
      },
    },
    Paper: { styles: { root: { borderColor: 'var(--rule)' } } },
    Tabs: { defaultProps: { color: 'ink' } },
    InputWrapper: {
      styles: { label: { fontWeight: 500 } },
      vars: () => ({
        label: {},
        description: { '--input-description-size': 'var(--mantine-font-size-xs)' },
        error: { '--input-error-size': 'var(--mantine-font-size-xs)' },
      }),
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200 } },
    Badge: { defaultProps: { tt: 'none', fw: 500, radius: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Button: { defaultProps: { size: 'xs' }, styles: { root: { fontWeight: 500 } } },
    TextInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs', radius: '4px' } },
    Switch: { defaultProps: { size: 'xs' } },
    Modal: {
      defaultProps: { centered: true, closeButtonProps: CLOSE },
      styles: { title: { fontWeight: 600 } },
    },
    Drawer: {
      defaultProps: { closeButtonProps: CLOSE },
      styles: { title: { fontWeight: 600, minWidth: 0 } },
    },
    Notification: {
      defaultProps: { closeButtonProps: CLOSE },
      // Below a title Mantine's own is too pale to be read.
      styles: { description: { color: 'var(--mantine-color-text)' } },
    },
  },
})

/** What the theme's own variables are on a light and on a dark page. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#566373',
    '--mantine-color-anchor': '#3b5bdb',
    '--mantine-color-placeholder': '#6b7888',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-body': '#0f1115',
    '--mantine-color-dimmed': '#97a2b3',
    '--mantine-color-anchor': '#91a7ff',
    '--mantine-color-placeholder': '#8593a7',
    '--mantine-color-error': '#ff8787',
  },
})

/** What style elements must carry; the server puts it into the page and into the page's policy. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
}

/** Packages that write style elements without asking the theme look here. */
export function tellStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
