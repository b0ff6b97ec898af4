import {expect, it} from 'vitest'
import {optionsText} from '../../../scripts/options/options-text.ts'

const option = {
  dest: 'connection',
  type: 'string value',
  default: null,
  sample_default: null,
  secret: false,
  deprecated_opts: [],
  deprecated_for_removal: false,
}

it('options are written one per line, in order, and of duplicate names the secret one', () => {
  const former = [{group: 'DEFAULT', name: 'sql_connection'}]

  const text = optionsText(['nova.conf', 'oslo.db'], {
    database: {
      opts: [
        {...option, secret: true, deprecated_opts: former},
        {...option, default: 'sqlite://'},
        {
          ...option,
          dest: 'backend',
          default: 'sqlalchemy',
          sample_default: 'other',
          deprecated_for_removal: true,
        },
      ],
      driver_opts: {memory: [{...option, dest: 'size', type: 'integer value', default: 3}]},
    },
    api: {opts: [], driver_opts: {}},
  })

  expect(text).toBe(`{
 "namespaces": ["nova.conf","oslo.db"],
 "options": {
  "api": {},
  "database": {
   "backend": {"type":"string","default":"other","removed":true},
   "connection": {"type":"string","secret":true,"formerly":["DEFAULT.sql_connection"]},
   "size": {"type":"integer","default":3}
  }
 }
}
`)
})
