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

/** The one accent: where you are, and what has the focus. */
const brass: MantineColorsTuple = [
  '#fdf7e3',
  '#f8ebc0',
  '#f1d98a',
  '#e9c552',
  '#e0b22b',
  '#c99a14',
  '#a87f0c',
  '#85640a',
  '#634a0a',
  '#43320a',
]

/** The dark page: text first, deepest ground last. */
const dark: MantineColorsTuple = [
  '#d5dbe4',
  '#b4bdca',
  '#97a2b3',
  '#5f6b7e',
  '#374153',
  '#29323f',
  '#1e2530',
  '#161b24',
  '#10141b',
  '#0b0e13',
]

/** A cross is no name. */
const CLOSE = { 'aria-label': 'Close' }

export const theme = createTheme({
  colors: { ink, brass, dark },
  primaryColor: 'ink',
  // White letters stand on both.
  primaryShade: { light: 8, dark: 5 },
  black: '#172031',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    InputWrapper: {
      vars: () => ({
        label: {},
        description: { '--input-description-size': 'var(--mantine-font-size-xs)' },
        error: { '--input-error-size': 'var(--mantine-font-size-xs)' },
      }),
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200 } },
    Badge: { defaultProps: { tt: 'none', fw: 500, radius: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
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
    '--mantine-color-anchor': '#172031',
    '--mantine-color-placeholder': '#6b7888',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-body': '#10141b',
    '--mantine-color-dimmed': '#97a2b3',
    '--mantine-color-anchor': '#d5dbe4',
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
