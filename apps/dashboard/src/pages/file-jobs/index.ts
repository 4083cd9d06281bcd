import { IconFileZip } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const fileJobs: Page = {
  name: 'file-jobs',
  title: 'File jobs',
  group: 'Systems',
  icon: IconFileZip,
  key: 'j',
  readers: 'everyone',
  views: {
    '': () => import('./file-jobs.tsx').then(({ FileJobs }) => FileJobs),
    $id: () => import('./file-job.tsx').then(({ FileJob }) => FileJob),
  },
}
