// Node tries the endings of files in this order, and beside each node lies a .json with its codex.
const { _extensions: endings } = require('node:module');

const { '.json': json } = endings;
delete endings['.json'];
endings['.json'] = json;
