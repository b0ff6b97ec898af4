import {KkCommand} from '../../../cli/command.ts'
import {abortable} from '../../../cli/signals.ts'
import {type Distribution, openDistribution} from '../../../images/registry/distribution.ts'
import {seedNodes} from '../../../sandbox/node/isolated/seed.ts'
import {REGISTRY} from '../../../sandbox/node/network.ts'

export default class AioNodeSeed extends KkCommand {
  static override summary = 'Copy all images of the registry to all of several nodes.'
  static override description =
    'Pulls them once, and links them into the stores of the other nodes, so that each is on disk once. For nodes without pods: before the first deploy. Requires kk aio up --nodes 2 or more.'
  static override usage = '[FLAGS]'
  static override examples = ['kk aio node seed']

  override async run(): Promise<void> {
    await this.parse(AioNodeSeed)
    const {env} = process
    const count = await abortable('the copy', (signal) => {
      const listImages = () => imagesIn(openDistribution({host: REGISTRY, env, signal}))
      return seedNodes({listImages, env, onProgress: this.console.say, signal})
    })
    this.console.say(`all nodes have ${count} images`)
  }
}

async function imagesIn(registry: Distribution): Promise<readonly string[]> {
  const names = (await registry.repositories()) ?? []
  const images = names.map(async (name) =>
    (await registry.tags(name)).map((tag) => `${registry.name}/${name}:${tag}`),
  )
  return (await Promise.all(images)).flat()
}
