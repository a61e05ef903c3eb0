// factgate's preload for node. It looks at the name of the main script and does nothing more unless that is jest, or a
// program that runs jest in its own process. It is loaded into every node process of a run: keep it tiny and silent.
'use strict';
const script = process.argv[1];
if (script && process.env.FACTGATE_RUN_DIR && /jest|scripts[\\/]test|craco/.test(script)) {
  try {
    let real = script;
    try {
      real = require('fs').realpathSync(require('path').resolve(script));
    } catch (e) {
      // jest without its ending: node finds it, realpath does not
    }
    if (/[\\/](?:jest|jest-cli)[\\/]bin[\\/]jest(?:\.js)?$|[\\/](?:react-scripts|react-app-rewired|@craco[\\/]craco|craco)[\\/](?:dist[\\/])?scripts[\\/]test(?:\.js)?$/.test(real)) {
      require('./core.cjs');
    }
  } catch (e) {
    // never in the way: without our stream there are no results, and the run is not green
  }
}
