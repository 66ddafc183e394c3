"""Lists of what is archived, page by page: by the order of commit, by site and address."""
