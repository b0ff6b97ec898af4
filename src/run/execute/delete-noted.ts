import type {ObjectIdentity} from '../../cluster/cluster.ts'
import type {Execution} from './execution.ts'

/** Deletes an object under its UID, when it stands in the journal; one that was made anew stays. */
export async function deleteNoted(
  {action: {release}, cluster, controls, journal}: Execution,
  object: ObjectIdentity,
): Promise<void> {
  const name = `${object.kind}/${object.name}`
  await journal.note({type: 'object-deleting', release, object: name})
  if (await cluster.deleteObject(object)) controls.onDeleted(name)
}
