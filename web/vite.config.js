import { defineConfig } from 'vite'

export default defineConfig({
  base: '/',
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, reportCompressedSize: true },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
