import {
  IconBroadcast,
  IconBroadcastOff,
  IconLoader2,
  IconPlayerPause,
  IconPlugConnectedX,
  type Icon,
} from '@tabler/icons-react'
import type { LiveState as State } from '../live/connection.ts'
import { useLiveState } from '../live/live-context.tsx'
import classes from './shell.module.css'

const LOOKS: Readonly<Record<State, { icon: Icon; word: string }>> = {
  live: { icon: IconBroadcast, word: 'Live' },
  connecting: { icon: IconLoader2, word: 'Connecting …' },
  waiting: { icon: IconPlugConnectedX, word: 'Connection lost, trying again' },
  paused: { icon: IconPlayerPause, word: 'Paused' },
  refused: { icon: IconBroadcastOff, word: 'Not live: refused' },
}

/** Whether what is shown follows what happens. */
export function LiveState() {
  const state = useLiveState()
  const { icon: Picture, word } = LOOKS[state]
  return (
    <div className={classes['state']} data-live={state} role="status">
      <Picture size={16} stroke={1.6} aria-hidden />
      {word}
    </div>
  )
}
