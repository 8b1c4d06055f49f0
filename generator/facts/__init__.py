"""Facts: data that several pages, blocks and exported files use."""
