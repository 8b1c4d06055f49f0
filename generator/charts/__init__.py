"""Small charts, drawn as SVG when the site is built: no script, no style attribute."""
