import { defineSimulator, type Simulator } from '@posthorn/simulators'
import { Archive } from './archive.ts'
import { documentControls, documentRoutes } from './routes.ts'

/** A document management API that attaches evidence to cases, once for each key. */
export function documents(): Simulator {
  return defineSimulator({
    name: 'documents',
    about: 'A document store: attaches evidence to cases, once for each key.',
    open() {
      const archive = new Archive()
      return {
        routes: (app) => documentRoutes(app, archive),
        control: (app) => documentControls(app, archive),
        forget: () => archive.forget(),
      }
    },
  })
}
