import { IconFileZip } from '@tabler/icons-react'
import type { Web } from '@posthorn/dashboard/kit'

/** Also loaded by Node, for the addresses of the pages: components are imported when they are shown. */
export const web: Web = {
  pages: [
    {
      name: 'file-jobs',
      title: 'File jobs',
      icon: IconFileZip,
      key: 'j',
      readers: 'everyone',
      actions: [{ title: 'Upload a ZIP', to: '/file-jobs' }],
      views: {
        '': () => import('./file-jobs.tsx').then(({ FileJobs }) => FileJobs),
        $id: () => import('./file-job.tsx').then(({ FileJob }) => FileJob),
      },
    },
  ],
  holds: { 'file-job': 'A file job' },
}
