import {KkError} from '../../errors.ts'
import {canAsk, confirm} from '../confirm/confirm.ts'

/** A replaced password is lost: that is never done unasked. */
export async function confirmReplacement(show: () => void): Promise<void> {
  show()
  if (canAsk()) return confirm('replace these? Their former values are lost.')
  throw new KkError('KK_UNCONFIRMED', 'nobody can be asked here; nothing was changed', {
    hint: 'look at what would be replaced above, then pass --yes',
  })
}
