import type { SystemWorld } from '@posthorn/dashboard/testing'
import { sampleZip } from './sample-zip.ts'

export const world: SystemWorld = {
  views: [
    ['file-jobs', '/file-jobs', 'sample.zip'],
    ['file-job', '/file-jobs/:file', 'CASE-1006'],
  ],
  async fill({ upload }) {
    const zip = await sampleZip().arrayBuffer()
    const job = await upload('/api/v1/file-jobs?filename=sample.zip', 'application/zip', zip)
    return { file: job['fileJobId'] ?? '' }
  },
}
