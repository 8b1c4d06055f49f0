"""The generated description of the data format: JSON Schemas and docs/data-format.md."""
