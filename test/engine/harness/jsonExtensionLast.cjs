// Node loads the first existing file in this order of extensions. Each node has a .json file (its codex) next
// to its code, so .json must come last.
const { _extensions: extensions } = require('node:module');

const { '.json': json } = extensions;
delete extensions['.json'];
extensions['.json'] = json;
