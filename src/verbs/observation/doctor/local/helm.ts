import {asKkError} from '../../../../errors.ts'
import type {Check} from '../finding.ts'

/** The helm that kk would use: found, new enough, and keeping its releases where kk reads them. */
export const helmCheck: Check = {
  name: 'helm',
  needs: 'nothing',
  fine: 'helm was found',
  async find({helm}) {
    try {
      const {path, version} = await helm()
      return [{level: 'ok', what: `helm ${version.text} at ${path}`}]
    } catch (error) {
      const {code, message, hint} = asKkError(error)
      if (code === 'KK_BUG') throw error
      return [{level: 'problem', what: message, ...(hint !== undefined && {advice: hint})}]
    }
  },
}
