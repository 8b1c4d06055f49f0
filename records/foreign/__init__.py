"""Files and replies of other programs: JSON whose fields may be missing, or of any type."""
