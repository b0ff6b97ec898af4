import {Flags} from '@oclif/core'
import {documentFlags} from '../flags.ts'

/** What both commands that read configuration of kolla's have in common. */
export const configFlags = {
  charts: Flags.string({
    summary: 'The directory of charts that are to take it; by default those that kk carries.',
    helpValue: 'DIR',
  }),
  'output-dir': Flags.string({
    summary: 'The directory to write the values to; by default a fresh one under the temp folder.',
    helpValue: 'DIR',
    exclusive: ['dry-run'],
  }),
  'dry-run': Flags.boolean({summary: 'Show what would be written, and write nothing.'}),
  ...documentFlags,
}
