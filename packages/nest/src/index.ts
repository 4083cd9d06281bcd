export { HandleMessage, InjectOutbox, outboxToken } from './decorators.ts'
export { PosthornHost } from './host.ts'
export { PosthornModule } from './module.ts'
export {
  type PosthornModuleAsyncOptions,
  type PosthornModuleOptions,
  type PosthornSettings,
} from './host.ts'
