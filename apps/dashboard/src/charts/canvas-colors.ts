/** A canvas knows no variables: what a colour of the theme is at this moment. */
export function themeColor(name: string, kind: 'line' | 'fill' = 'line'): string {
  const isDark = document.documentElement.dataset['mantineColorScheme'] === 'dark'
  const color = variable(`--mantine-color-${name}-${isDark ? 4 : 7}`)
  return kind === 'line' ? color : `${color}${isDark ? '66' : '59'}`
}

export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
