"""What came of a replay, for people: a table on the terminal and one page that needs nothing but a browser."""
