"""Sessions, labels and exports."""
