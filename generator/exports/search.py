"""`search.json`: models and evals by name with their pages, for the search box of every page."""

import json

from generator.site.data import SiteData
from generator.site.labels import eval_title
from generator.site.run_lines import linked
from generator.site.urls import eval_path

SEARCH = "search.json"
"""Where it stands below the site's root."""


def search_index(site: SiteData) -> bytes:
    """Return ``[name, what else it is found by, address below the root]`` of each, by kind."""
    models = [linked(runs[0]) for _, runs in sorted(site.by_model.items())]
    found = {
        "Model": [[one.name, f"{one.provider} {one.slug}", one.href] for one in models],
        "Eval": [[eval_title(site, name), name, eval_path(name)] for name in sorted(site.evals)],
    }
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
