import pjson from '../../package.json' with {type: 'json'}

/** kk's own version. */
export const VERSION: string = pjson.version
