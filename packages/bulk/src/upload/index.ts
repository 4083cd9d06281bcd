export { inTime, keepPace, type Pace } from './pace.ts'
export { UploadSlots, type SlotLimits } from './upload-slots.ts'
