"""The rendering of contexts to bytes: templates, filters, assets, charts as SVG without scripts."""
