import {requireConfirmation} from '../confirm/confirm.ts'

/** A replaced password is lost: that is never done unasked. */
export async function confirmReplacement(show: () => void): Promise<void> {
  show()
  const hint = 'look at what would be replaced above, then pass --yes'
  return requireConfirmation('replace these? Their former values are lost.', hint)
}
