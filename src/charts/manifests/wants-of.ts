import type {KubernetesObject} from '../../cluster/cluster.ts'
import {objectName} from '../../cluster/manifest.ts'
import type {Want} from '../../graph/inference/facts.ts'
import {containersOf, podTemplate} from './pods.ts'
import type {RenderedObject} from './rendered-objects.ts'
import {textOf} from './texts.ts'
import {waiterOf} from './waiter-of.ts'
import {customKindWants} from './wants/custom-kinds.ts'
import {entrypointWants} from './wants/entrypoint.ts'
import {hostWants} from './wants/hosts.ts'
import {linksSetIn, linkWants} from './wants/links.ts'
import {referenceWants} from './wants/references.ts'
import type {StatedWant, Waiting} from './wants/stated-want.ts'

/** All that these objects need of somebody, each thing once for an object. `namespace` is the release's. */
export function wantsOf(rendered: readonly RenderedObject[], namespace: string): readonly Want[] {
  const texts = new Map(rendered.map(({object}) => [object, textOf(object)]))
  const setHere = new Set([...texts.values()].flatMap(linksSetIn))
  return rendered.flatMap(({object, file}) => {
    const waiter = waiterOf(object)
    if (!waiter) return []
    const template = podTemplate(object)
    const containers = template ? containersOf(template) : []
    const waiting: Waiting = {object, waiter, template, containers, text: texts.get(object)!}
    const stated = [
      ...entrypointWants(waiting),
      ...customKindWants(waiting),
      ...referenceWants(waiting),
      ...linkWants(waiting, setHere),
      ...hostWants(waiting),
    ]
    return once(stated).map((want) => ({
      ...want,
      target: inRelease(want.target, object, namespace),
      object: objectName(object),
      waiter,
      file,
    }))
  })
}

function once(wants: readonly StatedWant[]): readonly StatedWant[] {
  if (wants.length < 2) return wants
  return [...new Map(wants.map((want) => [JSON.stringify(want), want])).values()]
}

/** The namespace of what is wanted, when it is not the release's own. */
function inRelease(target: Want['target'], {metadata}: KubernetesObject, own: string): Want['target'] {
  if (target.what !== 'object' && target.what !== 'pods') return target
  const {namespace: stated = metadata.namespace ?? own, ...rest} = target
  return stated === own ? rest : {...rest, namespace: stated}
}
