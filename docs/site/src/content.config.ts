import { docsSchema } from '@astrojs/starlight/schema'
import { defineCollection } from 'astro:content'
import { glob } from 'astro/loaders'
import { join } from 'node:path'
import { PREPARED } from '../pages.mjs'

export const collections = {
  docs: defineCollection({
    loader: glob({ base: join(PREPARED, 'content'), pattern: '**/*.md' }),
    schema: docsSchema(),
  }),
}
