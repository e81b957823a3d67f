"""Text from labs and files of other people, made harmless for terminals and spreadsheets."""
