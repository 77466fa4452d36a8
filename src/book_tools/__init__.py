"""What authors and teachers run: refresh, audit, mutation, the site's Sphinx extensions and grading."""
