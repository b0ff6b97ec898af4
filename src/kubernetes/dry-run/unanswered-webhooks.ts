import {KkError} from '../../base/errors.ts'
import type {Validation} from './dry-runs.ts'

/** Throws `KK_WEBHOOK` if the API server could not ask a webhook about an object: that tells nothing about the object. */
export function expectWebhooksAnswer(validations: readonly Validation[]): void {
  const unasked = validations.flatMap((each) =>
    each.outcome === 'refused' && each.webhook !== undefined ? [{...each, webhook: each.webhook}] : [],
  )
  const [first] = unasked
  if (!first) return
  const lines = [...Map.groupBy(unasked, ({webhook}) => webhook)].map(
    ([webhook, each]) => `  ${webhook}, about ${[...new Set(each.map(({object}) => object))].join(', ')}`,
  )
  throw new KkError(
    'KK_WEBHOOK',
    ['the API server could not call these webhooks:', ...lines, `  ${first.message}`].join('\n'),
    {hint: 'see that the pods behind the Service of the webhook are ready, then run the same command again'},
  )
}
