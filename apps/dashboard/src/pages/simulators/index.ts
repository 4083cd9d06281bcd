import { IconFlask } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const simulators: Page = {
  name: 'simulators',
  title: 'Simulators and clock',
  group: 'Development',
  icon: IconFlask,
  key: 'x',
  readers: 'everyone',
  where: 'development',
  views: {
    '': () => import('./simulators.tsx').then(({ Simulators }) => Simulators),
    $name: () => import('./simulator.tsx').then(({ Simulator }) => Simulator),
  },
}
