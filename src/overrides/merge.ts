export {mergeValues} from '../base/merge.ts'
