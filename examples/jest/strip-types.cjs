// Node's own way with types, for Jest: no Babel, no second compiler.
const { stripTypeScriptTypes } = require('node:module')

exports.process = (text) => ({ code: stripTypeScriptTypes(text) })
