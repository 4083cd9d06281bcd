import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BASE, BUILT, PREPARED } from './pages.mjs'

export default defineConfig({
  base: BASE,
  publicDir: join(PREPARED, 'public'),
  outDir: BUILT,
  cacheDir: join(PREPARED, '../docs-cache'),
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'Posthorn',
      logo: { src: '../../apps/dashboard/public/assets/posthorn.svg' },
      favicon: '/favicon.svg',
      customCss: ['./src/site.css'],
      components: { Footer: './src/footer.astro', MarkdownContent: './src/content.astro' },
      sidebar: JSON.parse(readFileSync(join(PREPARED, 'navigation.json'), 'utf8')),
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      // A long reference has many words by chance; a short page is about them.
      pagefind: { ranking: { pageLength: 0.6, termFrequency: 0.8 } },
      credits: false,
    }),
  ],
})
