import {KkError} from '../../base/errors.ts'
import type {Validation} from './dry-runs.ts'

/**
 * Throws `KK_WEBHOOK` if the API server could not call a webhook: it is then unknown whether the object is
 * valid.
 */
export function expectWebhooksAnswer(validations: readonly Validation[]): void {
  const unanswered = validations.flatMap((each) =>
    each.outcome === 'refused' && each.webhook !== undefined ? [{...each, webhook: each.webhook}] : [],
  )
  const [first] = unanswered
  if (!first) return
  const lines = [...Map.groupBy(unanswered, ({webhook}) => webhook)].map(
    ([webhook, each]) => `  ${webhook}, for ${[...new Set(each.map(({object}) => object))].join(', ')}`,
  )
  throw new KkError(
    'KK_WEBHOOK',
    ['the API server could not call these webhooks:', ...lines, `  ${first.message}`].join('\n'),
    {hint: "check that the pods of the webhook's Service are ready, then run the same command again"},
  )
}
