import type { DemoChapter } from '@posthorn/system'
import { conversation } from './conversation.ts'
import { messages } from './messages.ts'

export const demo: DemoChapter = { simulators: ['whatsapp'], steps: () => [messages, conversation] }
