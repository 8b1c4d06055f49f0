"""The preview server of the site."""
